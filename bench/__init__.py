"""What design.md section 7 promises, measured against this machine's own limit in the same run."""
