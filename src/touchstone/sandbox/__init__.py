"""One policy for everything foreign: programs, hidden tests, guests, SQL workers."""
