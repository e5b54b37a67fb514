"""One folder per benchmark. No benchmark imports another."""
