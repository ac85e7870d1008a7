"""What may be trusted of a memory, measured through the command line alone: one module for each part of the table."""
