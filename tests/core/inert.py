"""What a browser would find in the renderer's HTML, and that nothing of it acts."""

import re
from html.parser import HTMLParser

from core.text.markdown import render

TAGS = set(
    "p br hr h3 h4 h5 h6 ul ol li blockquote pre code em strong s a div span details summary "
    "table thead tbody tr th td".split()
)
ATTRIBUTES = set("href title rel target class dir tabindex start open role aria-label".split())
OUR_CLASSES = set(
    "pic refdef codeblock tablewrap fold rest in kw gist lang medium lines clip ar ac told task box on".split()
)
LINK = 'rel="noopener noreferrer nofollow ugc" target="_blank"'


class Seen(HTMLParser):
    """What a browser would find in a fragment: tags, attributes and the text between them."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self.other: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        self.other.append(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def text_of(source: str) -> str:
    return " ".join(Seen(render(source)).text.split())


def assert_inert(html: str) -> None:
    seen = Seen(html)
    assert set(seen.tags) <= TAGS
    assert seen.other == []
    for tag, name, value in seen.attributes:
        assert name in ATTRIBUTES, (tag, name)
        if name == "href":
            assert re.match(r"https?://|mailto:", value, re.IGNORECASE), value
        if name == "class":
            for word in value.split():
                assert word in OUR_CLASSES or (tag == "span" and len(word) <= 3), (tag, value)
    for link in re.findall(r"<a [^>]*>", html):
        assert LINK in link
