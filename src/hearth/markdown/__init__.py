"""Markdown read as memory: frontmatter, description, fragments, links. Pure."""
