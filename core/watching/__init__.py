"""Watching a server: ids of requests, recent errors, workers that were seen, numbers for Prometheus, and the
page for administrators.

Nothing here keeps a text, an address of a person, a token or a link. What several processes have to know of
each other is in Redis, within bounds; without Redis it is missing, and everything else goes on.
"""
