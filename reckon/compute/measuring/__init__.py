"""What was measured, and what is projected from it."""
