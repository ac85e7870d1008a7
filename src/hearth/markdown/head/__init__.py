"""What a note says of itself: frontmatter, title, tags, dates."""
