"""Profile, summaries, open questions, threads and topics."""
