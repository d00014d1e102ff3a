"""Asks the forges, GitHub and Gitee, for issues and comments, one page at a time.

Pure: no Django and no rows. The fetcher, the clock and the sleep are given by the caller.
"""
