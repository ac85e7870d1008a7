"""Takes secrets out of text: rules, and what stands beside a value."""
