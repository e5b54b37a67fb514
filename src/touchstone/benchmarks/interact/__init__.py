"""BIRD-Interact: ambiguous requests on PostgreSQL or SQLite, a simulated user, a budget, and a follow-up."""
