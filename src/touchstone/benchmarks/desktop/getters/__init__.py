"""The 29 result getters and the expected getters of Spider2-V under their published names.

A result getter fetches what a metric judges: a file of the guest, the output of a script, the state of a browser or of a cloud
service. Without a guest or an account it raises `Skipped`, with the reason.
"""

from ..registry import EXPECTED, RESULTS
from . import dbt, expected, files, google, snowflake, web

__all__ = ["EXPECTED", "RESULTS", "dbt", "expected", "files", "google", "snowflake", "web"]
