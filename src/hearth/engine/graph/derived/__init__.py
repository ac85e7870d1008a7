"""What relations are derived from: texts, and the vectors of documents."""
