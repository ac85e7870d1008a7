"""Commands about agents: hooks, servers, sessions."""
