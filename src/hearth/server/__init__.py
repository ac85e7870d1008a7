"""Servers: they translate a request, call the vault, and translate back. The only code that is asynchronous.

``operations`` says once what can be asked; ``vaults`` opens vaults by name, ``freshness`` and ``rebuild`` keep their
indexes true, ``runner`` carries operations out, ``threads`` runs blocking calls, ``problems`` says errors to clients,
``gate`` decides who may talk to a port; ``mcp`` speaks the Model Context Protocol, ``rest`` JSON over HTTP.
"""
