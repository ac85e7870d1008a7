"""The stub's way to the daemon, and what it does where none answers. Standard library only."""
