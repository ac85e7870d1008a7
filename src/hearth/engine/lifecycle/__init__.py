"""How memories end: what is no longer used is archived, on request; archives are searched, restored, purged."""
