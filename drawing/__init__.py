"""Pictures and PDF: Vega, Typst, fonts, widths of text. Knows no study word."""

from pathlib import Path

FONTS = Path(__file__).parent / "fonts"
"""Fonts with Chinese letters, regular and bold; the engines bring Latin, Greek and Cyrillic themselves."""
