"""The 25 metric functions of Spider2-V under their published names.

A metric takes the result (a path, a text or what its getter gave, None if there is none), the expected value unless it needs
none, and its options. It says a score and why.
"""

from ..registry import METRICS
from . import databases, images, notebooks, snowflake, structured, table, texts

__all__ = ["METRICS", "databases", "images", "notebooks", "snowflake", "structured", "table", "texts"]
