"""What a session's transcript holds, by host. Pure: bytes and text come in, values go out."""
