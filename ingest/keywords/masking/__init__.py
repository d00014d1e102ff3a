"""Places where a hit does not count: user names, addresses, paths, hashes and what a template brings."""
