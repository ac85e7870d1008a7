"""What was shown to agents, what of it they used, and what that says of a document."""
