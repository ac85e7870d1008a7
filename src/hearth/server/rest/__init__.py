"""The memory over HTTP: JSON in and out, described by an OpenAPI document that is made from the routes themselves.

``route`` says what a route is, ``routes`` lists them by what they are about, ``application`` answers requests by them,
``limits`` and ``meter`` stand around it, ``serve`` listens.
"""
