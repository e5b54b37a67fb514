"""BIRD and mini-dev: text-to-SQL on SQLite, judged by the rows a query returns."""
