"""Touchstone inside other people's tools. Each needs that tool installed, and is imported only by those who use it."""
