"""Pages made from what is remembered: profile, summaries, questions, threads, MEMORY.md; curation."""
