"""What hosts say: events, sessions, turns, transcripts."""
