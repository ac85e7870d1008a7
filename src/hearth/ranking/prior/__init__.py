"""What is known of a document beside the words: its age, use and standing."""
