"""A page on which a reader changes what a plan rests on, and sees what becomes of the budget."""
