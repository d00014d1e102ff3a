"""The web server's own part: requests are taken in whole, and not above a size."""
