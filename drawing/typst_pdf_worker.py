"""Set a Typst template with the JSON of the input as PDF: `python -m drawing.typst_pdf_worker FILE.typ`.

Each document has its own process, because the typesetter keeps its memory until the process ends: long
minutes take a hundred megabytes.
"""

import sys
from pathlib import Path

import typst

from drawing import FONTS


def main(template: Path) -> None:
    data = sys.stdin.buffer.read().decode()
    made = typst.compile(
        str(template),
        root=str(template.parent),
        font_paths=[str(FONTS)],
        sys_inputs={"data": data},
        format="pdf",
    )
    sys.stdout.buffer.write(made)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
