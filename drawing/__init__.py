"""Pictures and PDF: Vega, Typst, fonts, widths of text. Knows no study word."""
