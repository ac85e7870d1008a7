"""What keeps memories true over time: noticing, review, consolidation."""
