"""What a language model finds in turns: what it is shown, how it has to answer, and what of its answer is kept."""
