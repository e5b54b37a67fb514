"""Any agent as a text-to-SQL service over HTTP."""
