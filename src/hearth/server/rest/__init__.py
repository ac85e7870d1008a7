"""The memory over HTTP: JSON in and out, described by an OpenAPI document that is made from the operations themselves.

``routes`` says where each operation is, ``application`` answers requests by that, ``limits`` and ``meter`` stand
around it, ``serve`` listens.
"""
