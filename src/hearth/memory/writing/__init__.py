"""The write path of memories: check and scrub, find what is there, plan, carry out."""
