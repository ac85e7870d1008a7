"""Lanes: one way of finding and judging candidates each. A lane's score is calibrated to [0, 1]."""
