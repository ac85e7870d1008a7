"""The open vaults of a process: opened once, shared by all who answer from them, closed behind their last user."""
