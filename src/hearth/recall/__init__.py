"""Recall: lanes find and judge candidates, stages order them, recipes say which, for every surface alike."""
