"""What a body in Markdown is made of: prose, code, comments and the lines of a template."""
