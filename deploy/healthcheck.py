# ruff: noqa: INP001 - a script
"""Exits 0 if the web process of this container is well; asks by the site's name, for no other is answered."""

import os
import sys
from http.client import HTTPConnection

connection = HTTPConnection("127.0.0.1", int(os.environ["BIND"].rpartition(":")[2]), timeout=5)
connection.request("GET", "/healthz", headers={"Host": os.environ["ALLOWED_HOSTS"].split(",")[0]})
sys.exit(connection.getresponse().status != 200)
