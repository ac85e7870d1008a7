"""What can be asked of a server, said once: arguments, work, result. MCP tools and REST routes are tables over these.

One file for each family. ``arguments`` reads and describes what is taken, ``operation`` says what an operation is,
``shapes`` what results look like as JSON.
"""
