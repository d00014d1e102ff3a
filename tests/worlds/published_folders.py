"""Small folders of the published layout, written for tests."""

from pathlib import Path

TAXONOMY = """\
code,level,name
A,type,Question
A.1,theme,Installation
C,type,Bug
C.1,theme,Memory
C.1.i,sub-theme,Leaks
C.2,theme,Precision
"""

ENGINE = """\
Issue_URL,Label1,Label2,Label3,Final_Label
https://github.com/ember/engine/issues/12,C.1,C.1,C.1,C.1
https://github.com/ember/engine/issues/7,C.1,C.2,C.1,C.1
https://github.com/ember/engine/issues/9,A.1,,C.2,
https://github.com/ember/engine/issues/3,C.2,C.2,C.2,C.1
"""

LATTICE = """\
Issue_URL,Label1,Label2,Label3,Final_Label
https://gitee.com/quill/Lattice/issues/I6UHT3,A.1,A.1,A.1,A.1
"""


def write_study(
    folder: Path, *, engine: str = ENGINE, lattice: str = LATTICE, taxonomy: str | None = TAXONOMY
) -> Path:
    """Two repositories: one of GitHub with two lists, one of them empty, and one of Gitee."""
    files = {
        "engine/engine.csv": engine,
        "engine/engine_2023.txt": "".join(
            f"https://github.com/ember/engine/issues/{number}\n" for number in (9, 3, 9)
        ),
        "engine/engine_2024.txt": "",
        "lattice/lattice.csv": lattice,
        "lattice/lattice_2025.txt": "https://gitee.com/quill/Lattice/issues/I6UHT3\n",
        ".DS_Store": "\0\0",
    }
    if taxonomy is not None:
        files["taxonomy.csv"] = taxonomy
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return folder
