"""The warm process that hooks ask, and the way to it.

The hook's stub imports ``asking`` and what that does: standard library only, and little of it.
"""
