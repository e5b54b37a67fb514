"""Spider2-lite: hard questions on local SQLite databases, judged by gold result files."""
