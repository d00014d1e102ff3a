"""Tables as LaTeX: in words, escaped, aligned, and no wider than a line or higher than a page."""

import re
import shutil
import subprocess

import pytest
from django.utils import translation

from core.text.escaping import latex
from reports.agreement_report import PAGE_BY as BY
from reports.agreement_report import agreement_report
from reports.formats.latex import LINE, as_latex
from reports.formats.table_files import table_as_latex
from reports.formats.tables import PrintedTable
from reports.sections.registry import BY_KEY, TABLES
from tests.worlds.uneven import uneven

PACKAGES = {"booktabs", "array", "longtable"}
SIZES = {"normalsize", "small", "footnotesize", "scriptsize"}
needs_tex = pytest.mark.skipif(not shutil.which("pdflatex"), reason="there is no pdflatex on this machine")


def printed(heads, rows, numbers=()):
    return PrintedTable(tuple(heads), tuple(head in numbers for head in heads), tuple(map(tuple, rows)))


TABLE = printed(
    ("name", "value"), [("=1+1|_a", "0.123"), ("50 % & ~\\", ""), ("κ, [χ²]", "−1,234")], numbers={"value"}
)


def written(table, caption="The caption"):
    return as_latex(table, key="some-table", caption=caption)


def parsed(text):
    """The tables of a LaTeX text as lists of rows of cells. Fails for whatever LaTeX would trip over."""
    code = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    bare = re.sub(r"\\[\\{}$&#_%]", "", code)
    depth = 0
    for letter in bare:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        assert depth >= 0
    assert depth == 0
    assert not set(bare) & set("#~%^") - ({"^"} if "$^2$" in bare else set())
    assert bare.count("$") % 2 == 0
    stack, tables = [], []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}|", code):
        if kind == "begin":
            stack.append(name)
        elif kind == "end":
            assert stack.pop() == name
    assert stack == []
    assert code.count(r"\begingroup") == code.count(r"\endgroup")
    for form, body in re.findall(
        r"\\begin\{(?:tabular|longtable)\}(\{[^\n]*\})\n(.*?)\\end\{(?:tabular|longtable)\}", code, re.DOTALL
    ):
        lines = [line for line in body.splitlines() if line.endswith(r"\\") and r"\caption" not in line]
        cells = [re.split(r"(?<!\\)&", line.removesuffix(r"\\")) for line in lines]
        assert {len(row) for row in cells} == {_columns_of(form)}, form
        assert all(line.endswith(r"\\") or line.startswith("\\") for line in body.splitlines())
        tables.append([[cell.strip() for cell in row] for row in cells])
    return tables


def _columns_of(form):
    return len(re.sub(r">\{(\\\w+)+\}", "", re.sub(r"p\{\d+pt\}", "p", form)).strip("{}"))


def test_latex_has_caption_label_and_escaped_cells():
    assert as_latex(TABLE, key="a-b", caption="50 % of κ.", comment="from\nhere").splitlines() == [
        "% from here",
        r"% \usepackage{booktabs}",
        r"\begin{table}[htbp]",
        r"\centering\setlength{\abovecaptionskip}{0pt}\setlength{\belowcaptionskip}{6pt}",
        r"\caption{50 \% of $\kappa$.}\label{tab:a-b}",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"name & value \\",
        r"\midrule",
        r"=1+1\textbar{}\_a & 0.123 \\",
        r"50 \% \& \textasciitilde{}\textbackslash{} &  \\",
        r"$\kappa$, {[}$\chi$$^2${]} & $-1{,}234$ \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def test_what_follows_the_end_of_a_row_is_no_part_of_it():
    assert [latex(text) for text in ("[4pt]", "* x", "a * b")] == ["{[}4pt{]}", "{*} x", "a * b"]


@pytest.mark.parametrize(
    ("letters", "size"),
    [
        # Two columns of 31 letters take 2 (31 · 5 + 12) = 334 of 345 points.
        (31, None),
        (33, "small"),
        (37, "footnotesize"),
        (41, "scriptsize"),
    ],
)
def test_a_wider_table_is_smaller(letters, size):
    text = written(printed("ab", [("x " * (letters // 2) + "x",) * 2]))
    assert set(re.findall(r"\\(\w+size|small)\b", text)) == ({size} if size else set())


def test_texts_wrap_where_the_smallest_size_is_too_wide():
    table = printed(("group", "Percent agreement", "Note"), [("ember/engine", "0.500", "word " * 60)])
    text = written(printed(table.heads, table.rows, numbers={"Percent agreement"}))
    form = re.search(r"\\begin\{tabular\}\{(.*)\}", text)[1]
    points = [int(width) for width in re.findall(r"p\{(\d+)pt\}", form)]
    assert form.count(r"\raggedleft\arraybackslash") == 1
    assert len(points) == 3
    assert sum(points) + 8 * 3 <= LINE + 2
    assert r"% \usepackage{array,booktabs}" in text
    assert r"ember/\allowbreak{}engine & 0.500 & word word" in text


def test_a_table_that_no_size_makes_narrow_becomes_several_with_the_same_first_column():
    names = [f"column{number:02}" for number in range(20)]
    text = written(printed(["Repository", *names], [["owner/name", *(["0.500"] * 20)]], numbers=names))
    tables = parsed(text)
    assert len(tables) == 3
    assert [head for table in tables for head in table[0][1:]] == names
    assert {table[0][0] for table in tables} == {"Repository"}
    assert re.findall(r"\\label\{(.*?)\}", text) == [f"tab:some-table-{part}" for part in (1, 2, 3)]
    assert "The caption Part 2 of 3." in text


def test_long_words_break():
    text = written(printed(["Word", "Other"], [["x" * 90, "https://example.org/" + "y" * 80]]))
    assert r"\allowbreak{}" in text
    (((_head, _other), (word, other)),) = parsed(text)
    assert word.replace(r"\allowbreak{}", "") == "x" * 90
    assert other.replace(r"\allowbreak{}", "") == "https://example.org/" + "y" * 80


def test_chinese_is_as_wide_as_two_letters_and_asks_for_another_engine():
    rows = [("标注者之间的一致性以及各类别的一致性和它们的区间",) * 2]
    text = written(printed("ab", rows))
    assert r"\scriptsize" in text or r"\footnotesize" in text or r"\small" in text
    assert "XeLaTeX" in text
    assert "XeLaTeX" not in written(TABLE)


@pytest.mark.parametrize(("rows", "kind"), [(40, "tabular"), (41, "longtable")])
def test_a_long_table_goes_on_on_the_next_page(rows, kind):
    text = written(printed("n", [(str(number),) for number in range(rows)], numbers="n"))
    assert rf"\begin{{{kind}}}{{r}}" in text
    assert (r"\endfirsthead" in text, "longtable}" in text.splitlines()[0]) == (kind == "longtable",) * 2
    ((*heads, last),) = [[row[0] for row in table] for table in parsed(text)]
    assert (last, heads.count("n")) == (str(rows - 1), 2 if kind == "longtable" else 1)
    assert r"\caption{The caption}\label{tab:some-table}" in text


@pytest.fixture
def report():
    return agreement_report(uneven(), by=BY)


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_table_of_a_report_is_sound(report, language):
    with translation.override(language):
        for name in TABLES:
            text = table_as_latex(report, name)
            section = BY_KEY[name].printed(report)
            tables = parsed(text)
            assert set(re.findall(r"\\usepackage\{(.*?)\}", text)[0].split(",")) <= PACKAGES
            assert set(re.findall(r"\\(\w+size|small|tiny)\b", text)) <= SIZES
            assert text.count(r"\caption{") == text.count(rf"\label{{tab:{name}") == len(tables)
            for form in re.findall(r"\\begin\{(?:tabular|longtable)\}\{(.*)\}", text):
                points = [int(width) for width in re.findall(r"p\{(\d+)pt\}", form)]
                assert sum(points) + 4 * len(points) <= LINE + len(points), name
            if len(section.rows) <= 40 and len(tables) == 1:
                assert len(tables[0]) == len(section.rows) + 1


@pytest.mark.django_db
def test_heads_are_words_numbers_are_grouped_and_empty_columns_are_left_out(report):
    text = table_as_latex(report, "types")
    assert "percent_agreement" not in text
    assert "Agreement" in text
    assert r"\caption{By type of the decision. " in text
    # The notes of rows are letters, which the caption explains.
    ((heads, *rows),) = parsed(text)
    assert (heads[0], heads[-1], len(heads)) == ("Type", "Note", 10)
    assert [row[-1] for row in rows] == ["a", "b", "c", "d", "d"]
    assert rows[-1][0] == "All, types alone"
    assert "a: all issues agree equally, so these labels do not show how exact the value is." in text
    assert "b: all labels are the same category." in text
    ((heads, *_rows),) = parsed(table_as_latex(report, "coefficients"))
    assert heads[:2] == ["Coefficient", "Value"]
    assert "Fleiss’ kappa" in table_as_latex(report, "coefficients")


@needs_tex
@pytest.mark.django_db
def test_tex_sets_every_table_within_the_line(report, tmp_path):
    long_words = printed(
        ("Word", "Percent & share_of", "Note"), [("x" * 90, "0.5", "owner_name/repository=" * 9)] * 45
    )
    many = printed([f"column {n}" for n in range(30)], [["0.500"] * 30], [f"column {n}" for n in range(30)])
    texts = [table_as_latex(report, name) for name in TABLES]
    texts += [
        as_latex(table, key=f"made-{n}", caption="κ of 50 % & more_")
        for n, table in enumerate((TABLE, long_words, many))
    ]
    body = "\n\\clearpage\n".join(text for text in texts if "XeLaTeX" not in text)
    packages = "".join(rf"\usepackage{{{name}}}" for name in PACKAGES)
    (tmp_path / "all.tex").write_text(
        rf"\documentclass{{article}}{packages}\begin{{document}}{body}\end{{document}}"
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    log = (tmp_path / "all.log").read_text("utf-8", "replace")
    assert done.returncode == 0, log[-2000:]
    too_wide = map(float, re.findall(r"Overfull \\hbox \(([\d.]+)pt", log))
    assert [points for points in too_wide if points > 1] == []
    assert (tmp_path / "all.pdf").stat().st_size > 10_000
