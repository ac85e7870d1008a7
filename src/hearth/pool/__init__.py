"""The open vaults of a process, shared by all who answer from it: opened once, kept fresh, closed behind their last user."""
