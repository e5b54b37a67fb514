"""Agents of any kind, through the Model Context Protocol: an episode is served, and whoever calls its tools plays.

The official `mcp` package is imported only when something is served.
"""
