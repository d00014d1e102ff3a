"""The upkeep of a server: whether each part works, backups made while people label, and their restore.

`doctor` asks the parts, `making` writes a backup, `restoring` checks it or puts it into an empty server, and
`database` has what both ask PostgreSQL.
"""
