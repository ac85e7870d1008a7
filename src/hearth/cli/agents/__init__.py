"""Commands about agents: setup, hooks, sessions, the daemon and the servers."""
