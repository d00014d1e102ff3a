"""What a term matches, by its switches."""

from ingest.keywords import Hits, Matcher, Switches, Term


def test_hits_are_counted_by_zone_and_term():
    matcher = Matcher([Term("llama", "model"), Term("few shot"), Term("absent")])
    body = "Few-shot llama-3.1-8b, https://x.org/llama\n\n```\nllama2 = 1\n```\n<!-- llama -->"
    assert matcher.search("LLaMA hangs", body) == {
        0: Hits(title=1, prose=1, code=1, masked=2),
        1: Hits(prose=1),
    }


def test_switches_are_stored_and_read_back():
    switches = Switches(folds=False, zones=("title", "code"), masks=())
    assert Switches.from_json(switches.as_json()) == switches
    assert Switches.from_json({}) == Switches()
