"""Vector spaces: filled, calibrated, watched, replaced."""
