"""A program as an agent: it is started for each task, plays through MCP or prints SQL, and is ended."""

from .agent import CommandAgent, build, plugin

__all__ = ["CommandAgent", "build", "plugin"]
