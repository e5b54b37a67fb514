"""Superset's settings: its own docker compose files', and what the published machine adds to them."""

import os
from urllib.parse import quote_plus

_host = os.environ.get("DATABASE_HOST", "db")
SECRET_KEY = "desktop"  # a desktop that lives for minutes and cannot be reached
SQLALCHEMY_DATABASE_URI = f"postgresql://superset:superset@/superset?host={quote_plus(_host)}"
PREVENT_UNSAFE_DB_CONNECTIONS = False
FEATURE_FLAGS = {"ALERT_REPORTS": True}
SQLLAB_CTAS_NO_LIMIT = True
SESSION_COOKIE_SAMESITE = None
SESSION_COOKIE_SECURE = False
SESSION_COOKIE_HTTPONLY = False
WTF_CSRF_ENABLED = False
TALISMAN_ENABLED = False
