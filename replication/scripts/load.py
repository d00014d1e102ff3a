"""Reads the tables of this package into pandas with the same types everywhere: `from load import table`.

Everything but whole numbers, moments and yes-or-no is text: numbers of issues (I6UHT3) and codes (C.10), too.
An empty cell is missing. A text that a spreadsheet would run as a formula loses the apostrophe before it.
"""

from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
NUMBERS = ("Year", "Guideline", "Version", "Round_number", "Position")
FLAGS = ("Unsure", "Surplus", "Case_sensitive", "Drawn", "Pull_requests", "Comments")


def table(name: str) -> pd.DataFrame:
    """A CSV file of this package: "labels_long.csv", "issues.csv", "samples/01-pilot.csv"."""
    read = pd.read_csv(HERE / name, dtype="string", keep_default_na=False, na_values=[""])
    for column in read.columns:
        if column in NUMBERS:
            read[column] = pd.to_numeric(read[column]).astype("Int64")
        elif column in FLAGS:
            read[column] = (read[column] == "yes").fillna(False).astype("boolean")
        elif column.endswith("_at"):
            read[column] = pd.to_datetime(read[column], utc=True, format="ISO8601").astype(
                "datetime64[us, UTC]"
            )
        else:
            read[column] = read[column].str.replace(r"^'(?='*[=+\-@\t\r])", "", regex=True)
    return read
