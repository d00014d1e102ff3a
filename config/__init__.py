"""Wiring: settings, addresses, the list of REST endpoints, Celery."""
