"""What a language model is asked, how it has to answer, and what of its answers is kept."""
