"""Alembic's scripts. They ship with Clew, and ``clew db upgrade`` runs them; they know the tables alone."""
