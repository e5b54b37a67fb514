"""SQLite: private copy-on-write sessions, guarded statements, limits that hold."""
