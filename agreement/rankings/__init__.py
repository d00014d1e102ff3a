"""How participants ranked categories: ranks and concordance, and two groups side by side."""
