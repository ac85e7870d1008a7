"""Language models: a server's, the person's own agent, or one in this process. All give values, never prose."""
