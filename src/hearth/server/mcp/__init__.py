"""The Model Context Protocol over stdio and streamable HTTP, by the official SDK.

``catalog`` lists the tools, each an operation with the ``words`` for its result; ``protocol`` is the only module that
touches the SDK's types, ``stdio`` and ``http`` are the ways in.
"""
