"""EX with proof."""
