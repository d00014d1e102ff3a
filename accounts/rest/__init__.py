"""REST: what all endpoints have in common. It is imported by parts: settings name some of them."""
