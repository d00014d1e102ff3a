"""Backups of a whole server: made while people label, checked by a restore, and put back into an empty one.

`making` writes one file, `restoring` reads it; `database` has what both ask PostgreSQL.
"""
