"""How injected text puts its demands, by language: rows of label, weight, literals, pattern, as ``demands`` reads them.

In ``literals``, ``|`` parts those of which one must occur, ``&`` parts such groups. They begin where words begin.
"""
