"""Will it fit: what configurations take of the memory of a GPU and of time, and what levers change of both."""
