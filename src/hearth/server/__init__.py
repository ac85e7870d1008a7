"""Servers: they translate a request, call the vault, and translate back. The only code that is asynchronous.

``vaults`` opens vaults by name, ``freshness`` and ``rebuild`` keep their indexes true, ``threads`` runs blocking calls,
``problems`` says errors to clients, ``gate`` decides who may talk to a port; ``mcp`` speaks the Model Context Protocol.
"""
