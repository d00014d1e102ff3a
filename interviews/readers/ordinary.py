"""Names that are ordinary words in lower case. They are replaced as names only where they have a capital. The
list is short on purpose: a word too many in it leaves a name, one too few shows in the preview.
"""

_OF_PEOPLE = """
    will may mark rose grace hope joy faith art bill chase dawn drew frank gene grant guy jack june
    april august lance max miles pat penny pierce ray rich rob skip sky sue summer wade ward young long
    king lily song sun ivy amber ruby pearl violet daisy iris olive ginger heather jade crystal melody
    harmony autumn bud buck cash clay cliff colt dean earl forest gale hunter jean lane mat mercy miller
    norm page patience peg pip porter prince rusty sage scout star storm sunny turner van victor web
    wren winter brook bridge church house hall baker cook carter fisher gardener smith bishop pope day
    night moon snow frost rain best good noble wise strong swift small little short love power price fox
    wolf crane swan finch hawk drake bird fish lamb bull gold green brown black white gray grey bush
    wood woods stone rock hill field rivers lake ford kind major minor hand head key fine sharp stark
    early rush case an any can do don he her him his in it its la le me mi my no on or out she so to us
    we you de di du ha hi ho fan fang gang hang man men pan pin ping ran rang sang sing tan tang ten ye
    yo yes chi gong ling mu pa pi po
"""
_OF_COMPANIES = """
    apple meta intel oracle amazon target gap shell visa box slack zoom square stripe dell unity block
    snap match grab line orange virgin sprint discover
"""

ORDINARY = frozenset(_OF_PEOPLE.split()) | frozenset(_OF_COMPANIES.split())


def may_be_a_word(original: str) -> bool:
    """Is this name an ordinary word when it is written in lower case?"""
    return not original.islower() and original.casefold() in ORDINARY
