"""What touches docs/ on disk: which files differ from the pages, writing them whole, and the site made of them."""
