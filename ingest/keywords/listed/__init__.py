"""Reads lists of terms, and says what cannot be taken of them and what may be a mistake."""
