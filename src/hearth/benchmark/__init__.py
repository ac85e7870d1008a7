"""Measuring recall: cases with known answers, systems that answer, and what the answers are worth."""
