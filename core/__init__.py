"""How pages, errors, jobs, files and the embedded servers work. Knows no study word."""
