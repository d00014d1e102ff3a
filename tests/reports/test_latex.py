"""Tables as LaTeX: escaped, aligned, and no wider than a line or higher than a page."""

import re

import pytest

from core.text.escaping import latex
from reports.agreement_report import PAGE_BY as BY
from reports.agreement_report import agreement_report
from reports.formats.latex import LINE, SMALL_GAP, as_latex
from reports.formats.tables import Table, as_csv
from reports.sections.registry import TABLES
from tests.worlds.uneven import uneven

TABLE = Table(("name", "value", "why"), (("=1+1|_a", 0.12345678, None), ("50 % & ~\\", None, "none\nat all")))


def test_latex_is_rounded_aligned_and_escaped():
    assert as_latex(TABLE, "from\nhere").splitlines() == [
        "% from here",
        r"% \usepackage{booktabs}",
        r"\begin{tabular}{lrl}",
        r"\toprule",
        r"name & value & why \\",
        r"\midrule",
        r"=1+1\textbar{}\_a & 0.123 &  \\",
        r"50 \% \& \textasciitilde{}\textbackslash{} &  & none at all \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    assert r"\begin{tabular}{ll}" in as_latex(Table(("a", "b"), ()))


def test_what_follows_the_end_of_a_row_is_no_part_of_it():
    assert [latex(text) for text in ("[4pt]", "* x", "a * b")] == ["{[}4pt{]}", "{*} x", "a * b"]


def test_a_wide_table_is_smaller_and_breaks_its_heads_and_texts():
    wide = Table(
        ("group", "percent_agreement", "reason"),
        (("repository=ember/engine", 0.5, "word " * 30), ("all", None, None)),
    )
    lines = as_latex(wide).splitlines()
    assert lines[:3] == [
        r"% \usepackage{booktabs,array}",
        r"\begingroup\scriptsize\setlength{\tabcolsep}{2pt}",
        # "repository=", "agreement" and "reason" take 44, 36 and 24 points, what is between them 12. The texts
        # share the 229 that are left as they want them, 48 : 576: they come to 61.6 and 235.4 of 345.
        (
            r"\begin{tabular}{>{\raggedright\arraybackslash}p{0.179\linewidth}"
            r">{\raggedleft\arraybackslash}p{36pt}>{\raggedright\arraybackslash}p{0.682\linewidth}}"
        ),
    ]
    assert lines[4] == r"group & percent\_\allowbreak{}agreement & reason \\"
    assert lines[6].startswith(r"repository=\allowbreak{}ember/\allowbreak{}engine & 0.500 & word word ")
    assert lines[-2:] == [r"\end{tabular}", r"\endgroup"]


def test_a_table_that_no_size_makes_narrow_is_scaled():
    names = [f"column{number:02}" for number in range(20)]
    lines = as_latex(Table(tuple(names), (tuple(0.5 for _name in names),))).splitlines()
    assert lines[0] == r"% \usepackage{booktabs,array,adjustbox}"
    assert lines[1].endswith(r"\begin{adjustbox}{max width=\linewidth}")
    assert lines[-1] == r"\end{adjustbox}\endgroup"


@pytest.mark.parametrize(("rows", "kind"), [(40, "tabular"), (41, "longtable")])
def test_a_long_table_goes_on_on_the_next_page(rows, kind):
    lines = as_latex(Table(("n",), tuple((number,) for number in range(rows)))).splitlines()
    assert rf"\begin{{{kind}}}{{r}}" in lines
    assert (r"\endhead" in lines, lines[0].endswith("longtable}")) == (kind == "longtable",) * 2
    assert sum(line.endswith(r"\\") for line in lines) == rows + 1
    assert lines[-1] == rf"\end{{{kind}}}"


@pytest.mark.django_db
def test_every_table_of_a_report_fits_a_line_and_closes_what_it_opens():
    report = agreement_report(uneven(), by=BY)
    for name, make in TABLES.items():
        lines = as_latex(make(report)).splitlines()
        text = "\n".join(line for line in lines if not line.startswith("%"))
        opened, closed = (re.findall(rf"\\{word}\{{(\w+)\}}", text) for word in ("begin", "end"))
        assert opened == closed[::-1]
        assert text.count("\\begingroup") == text.count("\\endgroup")
        assert re.sub(r"\\[{}]", "", text).count("{") == re.sub(r"\\[{}]", "", text).count("}")
        form = next(line for line in lines if line.startswith((r"\begin{tabular}", r"\begin{longtable}")))
        cells = [re.sub(r"\\&", "", line).count("&") for line in lines if line.endswith(r"\\")]
        points = [float(width) for width in re.findall(r"p\{([\d.]+)pt\}", form)]
        shares = [float(width) for width in re.findall(r"p\{([\d.]+)\\linewidth\}", form)]
        width = sum(points) + sum(shares) * LINE + SMALL_GAP * (len(points) + len(shares))
        assert set(cells) == {len(make(report).columns) - 1}
        assert width <= LINE + 2 or "adjustbox" in lines[0], name


def test_negative_numbers_are_mathematics():
    made = as_latex(Table(("name", "kappa"), (("−0.5x", -0.0261), ("b", 0.5))))
    assert r"b & 0.500 \\" in made
    assert r" & $-0.026$ \\" in made
    assert "-0.026" in as_csv(Table(("kappa",), ((-0.026,),)))
