"""Published studies in, the replication package out."""
