"""Repositories as people write them."""

import pytest

from ingest.forges.naming import MOST, Misnamed, Named, forge_of_base, read_base, read_names

GITHUB = ("github", "github.com", "vllm-project/vllm", "")
GITEE = ("gitee", "gitee.com", "mindspore/mindspore", "")
OWN = ("github", "git.corp.example", "ml/engine", "https://git.corp.example/api/v3")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("vllm-project/vllm", GITHUB),
        ("  vllm-project/vllm/ ,", GITHUB),
        ("https://github.com/vllm-project/vllm", GITHUB),
        ("http://www.GitHub.com/vllm-project/vllm.git", GITHUB),
        ("github.com/vllm-project/vllm/issues?q=is%3Aopen", GITHUB),
        ("//github.com/vllm-project/vllm#readme", GITHUB),
        ("https://github.com/vllm-project/vllm/issues/129", GITHUB),
        ("https://api.github.com/repos/vllm-project/vllm/issues", GITHUB),
        ("git@github.com:vllm-project/vllm.git", GITHUB),
        ("ssh://git@github.com/vllm-project/vllm.git", GITHUB),
        ("<https://github.com/vllm-project/vllm>", GITHUB),
        ("https://gitee.com/mindspore/mindspore", GITEE),
        ("gitee.com/mindspore/mindspore/issues", GITEE),
        ("https://gitee.com/api/v5/repos/mindspore/mindspore/issues", GITEE),
        ("git@gitee.com:mindspore/mindspore.git", GITEE),
        ("https://git.corp.example/ml/engine", OWN),
        ("https://git.corp.example/api/v3/repos/ml/engine", OWN),
        ("git@git.corp.example:ml/engine.git", OWN),
        (
            "http://10.0.0.5:8080/ml/engine/",
            ("github", "10.0.0.5:8080", "ml/engine", "http://10.0.0.5:8080/api/v3"),
        ),
        (
            "http://10.0.0.5:8080/api/v5/repos/ml/engine",
            ("gitee", "10.0.0.5:8080", "ml/engine", "http://10.0.0.5:8080/api/v5"),
        ),
        (
            "https://gitee.corp.example/ml/engine",
            ("gitee", "gitee.corp.example", "ml/engine", "https://gitee.corp.example/api/v5"),
        ),
    ],
)
def test_every_spelling_names_its_repository(line, found):
    assert read_names(line) == ([Named(1, *found)], [])


@pytest.mark.parametrize(
    ("line", "cause", "about"),
    [
        ("vllm", "shape", ""),
        ("three/parts/here", "shape", ""),
        ("https://github.com/vllm-project", "path", ""),
        ("https://github.com/a b/c", "path", ""),
        ("https://github.com/../c", "path", ""),
        ("https://gitlab.com/a/b", "forge", "GitLab"),
        ("https://gitlab.corp.example/a/b", "forge", "GitLab"),
        ("ftp://github.com/a/b", "scheme", "ftp"),
        ("https://user:secret-word@github.com/a/b", "secret", ""),
        ("https://github.com:port/a/b", "host", ""),
        ("https://-/a/b", "host", ""),
    ],
)
def test_what_names_no_repository_says_why(line, cause, about):
    named, (bad,) = read_names(line)
    assert (named, bad.line, bad.cause, bad.about) == ([], 1, cause, about)


def test_lines_keep_their_numbers_and_a_repository_is_taken_once():
    text = "# frameworks\n\na/b\r\nhttps://github.com/A/B/\nvllm\nc/d\n"
    assert read_names(text) == (
        [Named(3, "github", "github.com", "a/b"), Named(6, "github", "github.com", "c/d")],
        [Misnamed(4, "https://github.com/A/B/", "twice", "3"), Misnamed(5, "vllm", "shape")],
    )


def test_a_refused_line_is_repeated_without_what_it_gives_away():
    _named, (bad,) = read_names("https://x:hunter22@github.com/a/b?access_token=hunter22")
    assert bad.text == "https://github.com/a/b"


def test_there_are_at_most_so_many():
    named, bad = read_names("\n".join(f"a/b{n}" for n in range(MOST + 1)))
    assert len(named) == MOST
    assert bad == [Misnamed(MOST + 1, f"a/b{MOST}", "many", str(MOST))]


def test_a_base_address_belongs_to_its_host():
    assert read_base("git.corp.example", " https://git.corp.example/api/v3/ ") == (
        "https://git.corp.example/api/v3"
    )
    assert read_base("10.0.0.5:8080", "http://10.0.0.5:8080/x/api/v5") == "http://10.0.0.5:8080/x/api/v5"
    for base in (
        "https://evil.example/api/v3",
        "https://git.corp.example:8443/api/v3",
        "https://user@git.corp.example/api/v3",
        "https://git.corp.example/api/v3?access_token=x",
        "ftp://git.corp.example/",
        "api/v3",
        "https://git.corp.example:x/",
    ):
        with pytest.raises(ValueError, match=r".*"):
            read_base("git.corp.example", base)


def test_a_base_address_shows_its_forge():
    assert forge_of_base("https://git.corp.example/api/v3") == "github"
    assert forge_of_base("https://git.corp.example/x/api/v5") == "gitee"
    assert forge_of_base("https://git.corp.example/rest") == ""
