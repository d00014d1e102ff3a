"""Words that are written as names are: with a capital where an ordinary word has none."""

import re
from collections.abc import Iterator

_WORD = re.compile(r"[^\W\d_][\w’'-]{0,60}")
_PARTICLES = frozenset("de da do dos van von der den la el al bin ibn ben".split())
_BETWEEN = re.compile(rf" (?:(?:{'|'.join(sorted(_PARTICLES))}) ){{0,2}}|[.] ?")
_ENDS = frozenset('.!?…。！？:：\n"“”()•-–—')
_INITIAL = re.compile(r"[^\W\d_]\.?")

_STARTERS = frozenset(
    """
    a about after again all also although always and any are as at because before both but by can could
    did do does even every exactly first for from good great has have he hello her here hi his how
    however i if in indeed is it its just last later let like maybe more most my never next no nobody
    not now of often oh ok okay on once one only or other our people perhaps please really right second
    she should since so some sometimes somebody sorry still such sure thank thanks that the their them
    then there these they this those though three to two until very was we well were what when where
    whether which while who why will with without would yeah yes yet you your then's it's that's there's
    here's what's let's don't i'm i've i'd i'll we're we've they're he's she's you're can't didn't
    doesn't isn't wasn't
""".split()
)
_NO_NAMES = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july
    august september october november december english chinese german french spanish japanese korean
    russian arabic hebrew hindi portuguese italian european american asian african christmas easter
    internet python java rust linux windows docker kubernetes i god dr mr mrs ms prof sir
""".split()
)
_COMMON = _STARTERS | _NO_NAMES
_LONGEST_RUN = 8


def capitals_in(text: str) -> Iterator[tuple[int, int, bool]]:
    """Where such words are, and whether there are two or more of them: from, to, is a pair. One word at the
    beginning of a sentence says nothing.
    """
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(text):
        if word[0][0].isupper() and not _is_sign(word[0]):
            if run and (len(run) == _LONGEST_RUN or not _goes_on(text, run[-1], word)):
                yield from _named(text, run)
                run = []
            run.append(word)
        elif run and word[0] not in _PARTICLES:
            yield from _named(text, run)
            run = []
    yield from _named(text, run)


def _goes_on(text: str, before: re.Match[str], word: re.Match[str]) -> bool:
    """Do two words belong to one name? A point is between them only after an initial."""
    is_near = bool(_BETWEEN.fullmatch(text, before.end(), word.start()))
    return is_near and (text[before.end()] != "." or bool(_INITIAL.fullmatch(before[0])))


def _named(text: str, run: list[re.Match[str]]) -> Iterator[tuple[int, int, bool]]:
    begins = _begins_sentence(text, run[0].start()) if run else False
    if begins and _bare(run[0][0]) in _STARTERS:
        run, begins = run[1:], False
    while run and _bare(run[0][0]) in _COMMON:
        run = run[1:]
    while run and _bare(run[-1][0]) in _COMMON:
        run = run[:-1]
    if not run or (begins and len(run) == 1):
        return
    last = run[-1]
    end = last.end() - 2 if last[0][-2:] in {"'s", "’s"} else last.end()
    yield run[0].start(), end, len(run) > 1


def _is_sign(word: str) -> bool:
    """Is it an abbreviation or a product, such as GPU, PyTorch or U1, and not a name?"""
    return not set("-’'") & set(word) and any(letter.isupper() or letter.isdigit() for letter in word[1:])


def _bare(word: str) -> str:
    return word.casefold().replace("’", "'")


def _begins_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 20) : start].rstrip(" \t'‘[")
    return not before or before[-1] in _ENDS
