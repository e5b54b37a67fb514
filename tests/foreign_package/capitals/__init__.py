"""A small package of somebody else's, which uses only public names of Touchstone."""
