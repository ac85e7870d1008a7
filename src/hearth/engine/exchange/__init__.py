"""Taking a whole vault elsewhere: everything that it knows as lines of JSON, and back again.

``lines`` is the format, ``give`` writes it, ``take`` checks it and carries it out, ``shelf`` is what both need of the
disk, ``facade`` the calls of a vault.
"""
