from drawing.flow import BOX, RIGHT, flow


def test_the_way_goes_down_and_what_leaves_it_stands_at_the_right():
    drawn = flow(
        [
            ([("Identified", "7")], []),
            (
                [("Screened", "7")],
                [("out", [("Excluded", "3"), ("F.1 Usage", "3")]), ("aside", [("Open", "1")])],
            ),
            ([("Included", "3")], []),
        ]
    )
    assert [(box.tone, box.lines[0].text, box.lines[0].number) for box in drawn.boxes] == [
        ("step", "Identified", "7"),
        ("step", "Screened", "7"),
        ("out", "Excluded", "3"),
        ("aside", "Open", "1"),
        ("end", "Included", "3"),
    ]
    left = [float(box.y) for box in drawn.boxes if box.x == "1"]
    assert left == sorted(left)
    assert {box.x for box in drawn.boxes if box.tone in {"out", "aside"}} == {str(RIGHT - 1)}
    assert len(drawn.arrows) == 4
    for above, below in zip(drawn.boxes[2:3], drawn.boxes[3:4], strict=True):
        assert float(above.y) + float(above.height) < float(below.y)
    last = drawn.boxes[-1]
    assert float(last.y) + float(last.height) <= float(drawn.height)


def test_the_end_stands_below_all_that_left():
    many = [(f"F.{number}", "1") for number in range(20)]
    drawn = flow([([("Screened", "40")], [("out", many)]), ([("Included", "20")], [])])
    _screened, out, included = drawn.boxes
    assert float(out.y) + float(out.height) < float(included.y)
    assert [line.strong for line in out.lines] == [True, *[False] * 19]


def test_what_joins_a_step_has_its_arrow_the_other_way():
    words = [("One", "1")]
    leaves = flow([(words, [("out", words)])])
    joins = flow([(words, [("in", words)])])
    (out,), (come,) = leaves.arrows, joins.arrows
    assert (out.x1, out.head.split("L")[1].split()[0]) == (str(BOX + 1), str(RIGHT - 1))
    assert (come.x2, come.head.split("L")[1].split()[0]) == (str(RIGHT - 1), str(BOX + 1))
    assert out.y1 == come.y1


def test_long_words_are_cut():
    (box,) = flow([([("x" * 50, "1")], [])]).boxes
    assert box.lines[0].text == "x" * 31 + "…"
    assert box.width == str(BOX)
