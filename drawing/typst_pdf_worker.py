"""Set a Typst template with the JSON of the input as PDF: `python -m drawing.typst_pdf_worker FILE.typ`.

A process of its own for each document: the typesetter keeps what it has set in memory until its process ends,
a hundred megabytes for long minutes.
"""

import sys
from pathlib import Path

import typst


def main(template: Path) -> None:
    data = sys.stdin.buffer.read().decode()
    made = typst.compile(str(template), root=str(template.parent), sys_inputs={"data": data}, format="pdf")
    sys.stdout.buffer.write(made)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
