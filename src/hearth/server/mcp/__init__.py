"""The Model Context Protocol over stdio and streamable HTTP, by the official SDK.

``catalog`` lists the tools, each a plain function from checked arguments to an ``Answer``; ``protocol`` is the only
module that touches the SDK's types, ``stdio`` and ``http`` are the ways in.
"""
