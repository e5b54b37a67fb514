"""A program as an agent: it is started for each task, plays through MCP or prints SQL, and is ended."""

from .agent import CommandAgent, CommandConfig

__all__ = ["CommandAgent", "CommandConfig"]
