"""What clients can ask, described once: arguments, work, result. MCP tools and REST routes are made from it."""
