"""What is on the disk of this machine: notes, memories, transcripts, repositories, keys."""
