"""What is studied, by whom and in which role: studies, members, guidelines, the audit."""
