"""What was planned and spent: the tables of the first page of a project and of its status page."""
