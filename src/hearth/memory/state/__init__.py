"""What people and agents change about documents: find the target, plan, carry out, undo, purge."""
