"""The resident process that hooks ask, and the way to it.

The hook's stub imports ``stub_client`` and what that does: standard library only, and little of it.
"""
