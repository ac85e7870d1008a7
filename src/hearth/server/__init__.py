"""Servers: they translate a request, call the vault, and translate back. The only code that is asynchronous.

``port`` decides who may talk to a port, ``routes`` says where each operation is, ``application`` answers requests by
that, ``limits`` stands around it, ``serve`` listens; ``mcp`` speaks the Model Context Protocol.
"""
