"""Settings of other programs: edits that touch our entries alone, with a backup and back again."""
