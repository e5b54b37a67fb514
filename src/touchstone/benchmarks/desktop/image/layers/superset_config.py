"""Superset's settings: as in its own docker compose files as far as the pages go, with SQLite for its metadata."""

SECRET_KEY = "desktop"  # a desktop that lives for minutes and cannot be reached
SQLALCHEMY_DATABASE_URI = "sqlite:////home/user/.superset/superset.db?check_same_thread=false"
PREVENT_UNSAFE_DB_CONNECTIONS = False
FEATURE_FLAGS = {"ALERT_REPORTS": True}
TALISMAN_ENABLED = False
WTF_CSRF_ENABLED = True
SQLLAB_CTAS_NO_LIMIT = True
