"""What is said of figures: claims, conditions, policies, words, texts."""
