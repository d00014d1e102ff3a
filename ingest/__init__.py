"""What is to be labelled: imports, repositories, issues, keywords."""
