"""What differs between two sides: for a terminal, as markdown for a review, as JSON, and as the page of the history."""
