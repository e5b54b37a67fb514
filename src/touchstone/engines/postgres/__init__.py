"""PostgreSQL: private copies by cloning, roles without rights, reads that share one copy."""
