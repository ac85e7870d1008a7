"""What a session's transcript holds, and which of the notes shown were used. Pure: bytes and text come in."""
