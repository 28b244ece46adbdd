"""What each kind of picture shows: frozen, checked when made, and said without the libraries that draw it."""
