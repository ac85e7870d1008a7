"""Where names are mentioned: what is read of documents beside the questions."""
