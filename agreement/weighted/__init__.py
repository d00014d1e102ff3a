"""Agreement with partial credit: two different categories can be nearly the same.

The weight of two categories comes from their path in the taxonomy, or from a matrix that the study made.
"""
