"""What people and agents change about documents: find the target, plan, carry out, undo; and purging, which erases."""
