"""Database systems: private copies, limits, guarded execution."""
