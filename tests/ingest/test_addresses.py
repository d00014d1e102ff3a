"""One issue has one identity however its URL is spelled; what is no issue's address says why."""

import csv
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.addresses import Address, BadAddress, Reason, bare, keepable, parse, unusual_host

ISSUE = ("github.com", "pytorch/pytorch", "129")

SPELLINGS = [
    "https://github.com/pytorch/pytorch/issues/129",
    "http://github.com/pytorch/pytorch/issues/129",
    "https://www.github.com/pytorch/pytorch/issues/129",
    "https://github.com/pytorch/pytorch/issues/129/",
    "https://github.com/pytorch/pytorch/issues/129?utm_source=mail",
    "https://github.com/pytorch/pytorch/issues/129#issuecomment-1234",
    "https://GitHub.COM/pytorch/pytorch/issues/129",
    "https://github.com/PyTorch/PyTorch/issues/129",
    "https://github.com/pytorch/pytorch/pull/129",
    "https://github.com/pytorch/pytorch/pull/129/files",
    "https://api.github.com/repos/pytorch/pytorch/issues/129",
    "https://api.github.com/repos/pytorch/pytorch/pulls/129",
    "https://github.com/py%74orch/pytorch/issues/12%39",
    "https://github.com:443/pytorch/pytorch/issues/129",
    "http://github.com:80/pytorch/pytorch/issues/129",
    "https://somebody:secret@github.com/pytorch/pytorch/issues/129",
    "  https://github.com/pytorch/pytorch/issues/129\t\r\n",
    "<https://github.com/pytorch/pytorch/issues/129>",
    '"https://github.com/pytorch/pytorch/issues/129",',
    "\ufeffhttps://github.com/pytorch/pytorch/issues/129",
    "https://github.com/pytorch/pytorch.git/issues/129",
    "https://github.com//pytorch/pytorch//issues/129",
    "https://github.com./pytorch/pytorch/issues/129",
    "HTTPS://github.com/pytorch/pytorch/issues/129",
    "github.com/pytorch/pytorch/issues/129",
    "//github.com/pytorch/pytorch/issues/129",
    "https://redirect.github.com/pytorch/pytorch/issues/129",
]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_of_one_url_is_one_issue(spelling):
    address = parse(spelling)

    assert address.identity == ISSUE
    assert address.forge == "github"
    assert address.url.lower() in {
        "https://github.com/pytorch/pytorch/issues/129",
        "https://github.com/pytorch/pytorch/pull/129",
    }


@pytest.mark.parametrize(
    "other",
    [
        "https://github.com/pytorch/pytorch/issues/130",
        "https://github.com/pytorch/vision/issues/129",
        "https://github.com/other/pytorch/issues/129",
        "https://gitee.com/pytorch/pytorch/issues/129",
        "https://github.com:8443/pytorch/pytorch/issues/129",
        "http://github.com:443/pytorch/pytorch/issues/129",
    ],
)
def test_another_issue_has_another_identity(other):
    assert parse(other).identity != ISSUE


def test_the_spelling_of_the_repository_is_kept_beside_its_identity():
    address = parse("https://github.com/NVIDIA/Megatron-LM/pull/7")

    assert address == Address("github", "github.com", "NVIDIA/Megatron-LM", "7", "pull_request")
    assert address.repository == ("github.com", "nvidia/megatron-lm")
    assert address.url == "https://github.com/NVIDIA/Megatron-LM/pull/7"


@pytest.mark.parametrize(
    ("url", "expected", "canonical"),
    [
        (
            "https://gitee.com/mindspore/mindspore/issues/i6uht3",
            Address("gitee", "gitee.com", "mindspore/mindspore", "I6UHT3", "issue"),
            "https://gitee.com/mindspore/mindspore/issues/I6UHT3",
        ),
        (
            "https://gitee.com/api/v5/repos/mindspore/mindspore/issues/I6UHT3",
            Address("gitee", "gitee.com", "mindspore/mindspore", "I6UHT3", "issue"),
            "https://gitee.com/mindspore/mindspore/issues/I6UHT3",
        ),
        (
            "https://gitee.com/mindspore/mindspore/pulls/44",
            Address("gitee", "gitee.com", "mindspore/mindspore", "!44", "pull_request"),
            "https://gitee.com/mindspore/mindspore/pulls/44",
        ),
        (
            "https://gitlab.com/group/part/project/-/issues/5#note_1",
            Address("gitlab", "gitlab.com", "group/part/project", "5", "issue"),
            "https://gitlab.com/group/part/project/-/issues/5",
        ),
        (
            "https://gitlab.com/group/project/issues/5",
            Address("gitlab", "gitlab.com", "group/project", "5", "issue"),
            "https://gitlab.com/group/project/-/issues/5",
        ),
        (
            "https://gitlab.com/group/project/-/work_items/5",
            Address("gitlab", "gitlab.com", "group/project", "5", "issue"),
            "https://gitlab.com/group/project/-/issues/5",
        ),
        (
            "https://gitlab.com/group/issues/-/merge_requests/5/diffs",
            Address("gitlab", "gitlab.com", "group/issues", "!5", "pull_request"),
            "https://gitlab.com/group/issues/-/merge_requests/5",
        ),
        (
            "https://gitlab.com/api/v4/projects/group%2Fproject/issues/5",
            Address("gitlab", "gitlab.com", "group/project", "5", "issue"),
            "https://gitlab.com/group/project/-/issues/5",
        ),
        (
            "https://code.example.org/team/tool/-/issues/5",
            Address("gitlab", "code.example.org", "team/tool", "5", "issue"),
            "https://code.example.org/team/tool/-/issues/5",
        ),
        (
            "https://codeberg.org/forgejo/forgejo/pulls/12",
            Address("gitea", "codeberg.org", "forgejo/forgejo", "12", "pull_request"),
            "https://codeberg.org/forgejo/forgejo/pulls/12",
        ),
        (
            "https://git.example.org:3000/team/tool/issues/12",
            Address("other", "git.example.org:3000", "team/tool", "12", "issue"),
            "https://git.example.org:3000/team/tool/issues/12",
        ),
        (
            "https://ghe.example.org/api/v3/repos/team/next.js/issues/12",
            Address("other", "ghe.example.org", "team/next.js", "12", "issue"),
            "https://ghe.example.org/team/next.js/issues/12",
        ),
        (
            "https://github.com/issues/issues/issues/4",
            Address("github", "github.com", "issues/issues", "4", "issue"),
            "https://github.com/issues/issues/issues/4",
        ),
        (
            "https://issues.apache.org/jira/browse/KAFKA-7?focusedCommentId=12",
            Address("jira", "issues.apache.org", "jira/KAFKA", "7", "issue"),
            "https://issues.apache.org/jira/browse/KAFKA-7",
        ),
        (
            "https://issues.apache.org/jira/rest/api/2/issue/KAFKA-7",
            Address("jira", "issues.apache.org", "jira/KAFKA", "7", "issue"),
            "https://issues.apache.org/jira/browse/KAFKA-7",
        ),
        (
            "https://team.atlassian.net/browse/web_app-129",
            Address("jira", "team.atlassian.net", "WEB_APP", "129", "issue"),
            "https://team.atlassian.net/browse/WEB_APP-129",
        ),
        (
            "https://jira.example.org:8443/projects/AB/issues/AB-3",
            Address("jira", "jira.example.org:8443", "AB", "3", "issue"),
            "https://jira.example.org:8443/browse/AB-3",
        ),
    ],
)
def test_each_forge_has_its_own_way(url, expected, canonical):
    assert parse(url) == expected
    assert parse(url).url == canonical
    assert parse(canonical).identity == expected.identity


def test_an_issue_and_a_pull_request_of_one_number_differ_where_the_forge_counts_them_apart():
    issue = parse("https://gitlab.com/g/p/-/issues/5")
    merge_request = parse("https://gitlab.com/g/p/-/merge_requests/5")

    assert issue.identity != merge_request.identity


def test_the_short_form_is_read_where_it_is_allowed_only():
    assert parse("pytorch/pytorch#129", short=True).identity == ISSUE
    with pytest.raises(BadAddress) as refused:
        parse("pytorch/pytorch#129")
    assert refused.value.reason == "scheme"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", "empty"),
        (" <> ", "empty"),
        ("https://github.com/o/r/issues/1\0", "control"),
        ("https://github.com/o/r\x1b/issues/1", "control"),
        ("https://github.com/o/r\ud800/issues/1", "control"),
        ("https://github.com/o/r/issues/1#\udfff", "control"),
        ("https://github.com/o/r%00/issues/1", "control"),
        ("https://github.com/o/r%0A/issues/1", "control"),
        ("https://github.com/o/r/issues/1?q=" + "x" * 500, "too_long"),
        ("https://github.com/o/r/issues/1 and more", "space"),
        ("https://github.com/o/r/issues/1\nhttps://github.com/o/r/issues/2", "space"),
        ("javascript:alert(1)//github.com/o/r/issues/1", "scheme"),
        ("ftp://github.com/o/r/issues/1", "scheme"),
        ("129", "scheme"),
        ("# a comment", "space"),
        ("https:///o/r/issues/1", "host"),
        ("https://git hub.com/o/r/issues/1", "space"),
        ("https://github.com:https/o/r/issues/1", "host"),
        ("https://[::1/o/r/issues/1", "host"),
        ("https://-.com/o/r/issues/1", "host"),
        (f"https://{'h' * 250}/o/r/issues/1", "host"),
        ("https://github.com/o/r%2/issues/1", "escape"),
        ("https://github.com/o/r%FF/issues/1", "escape"),
        ("https://github.com/o/r", "shape"),
        ("https://github.com/o/r/issues", "shape"),
        ("https://github.com/o/r/issues/", "shape"),
        ("https://github.com/o/r/issues/1/2", "shape"),
        ("https://github.com/o/r/commit/abc", "shape"),
        ("https://github.com/issues/1", "shape"),
        ("https://github.com/a/b/c/issues/1", "shape"),
        ("https://github.com/../r/issues/1", "repository"),
        ("https://github.com/o/%2e%2e/issues/1", "repository"),
        ("https://github.com/o%2Fx/r/issues/1", "repository"),
        ("https://github.com/о/r/issues/1", "repository"),
        (f"https://github.com/o/{'r' * 299}/issues/1", "repository"),
        (f"https://gitlab.com/{'g/' * 149}ppp/-/issues/1", "repository"),
        ("https://github.com/o/.git/issues/1", "repository"),
        ("https://github.com/o/r/issues/0", "number"),
        ("https://github.com/o/r/issues/01", "number"),
        ("https://github.com/o/r/issues/-1", "number"),
        ("https://github.com/o/r/issues/I6UHT3", "number"),
        ("https://github.com/o/r/issues/\u0663", "number"),
        ("https://github.com/o/r/issues/new", "number"),
        ("https://github.com/o/r/issues/1234567890123", "number"),
        ("https://gitee.com/o/r/issues/I6_UHT3", "number"),
        ("https://github.com/o/r/discussions/1", "discussion"),
        ("https://github.com/browse/AB-1", "shape"),
        ("https://gitlab.example.org/browse/AB-1", "shape"),
        ("https://jira.example.org/browse/AB-0", "shape"),
        ("https://jira.example.org/browse/AB", "shape"),
        ("https://jira.example.org/a/b/browse/AB-1", "shape"),
        ("https://jira.example.org/rest/api/2/issue/10001", "shape"),
        ("https://jira.example.org/\u0430/browse/AB-1", "shape"),
    ],
)
def test_what_is_no_address_of_an_issue_says_why(url, reason):
    with pytest.raises(BadAddress) as refused:
        parse(url)

    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("given_url", "kept"),
    [
        ("https://github.com/o/r/issues/1#issuecomment-5", "https://github.com/o/r/issues/1#issuecomment-5"),
        ("https://me:token@github.com/o/r/issues/1", "https://github.com/o/r/issues/1"),
        ("me:token@github.com/o/r/issues/1", "github.com/o/r/issues/1"),
        ("https://gitee.com/o/r/issues/IABC?access_token=1f2e", "https://gitee.com/o/r/issues/IABC"),
        ("https://gitee.com/o/r/issues/IABC?a=1&TOKEN=1f2e", "https://gitee.com/o/r/issues/IABC"),
        ("https://github.com/o/r/issues/1?q=a@b", "https://github.com/o/r/issues/1?q=a@b"),
        (" https://github.com/o/r/issues/1", " https://github.com/o/r/issues/1"),
        (" " * 500 + "https://github.com/o/r/issues/1", "https://github.com/o/r/issues/1"),
    ],
)
def test_no_secret_of_a_url_is_kept(given_url, kept):
    assert keepable(given_url) == kept


def test_the_longest_repository_and_host_that_are_stored_are_read():
    assert len(parse(f"https://github.com/o/{'r' * 298}/issues/1").path) == 300
    assert parse(f"https://{'h' * 247}:65535/o/r/issues/1").host == f"{'h' * 247}:65535"


def outcome(url: str) -> Address | str:
    """The address, or the reason why there is none."""
    try:
        return parse(url, short=True)
    except BadAddress as error:
        return error.reason


NAMES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,20}", fullmatch=True)


@given(
    NAMES,
    NAMES,
    st.sampled_from(["issues", "pull"]),
    st.one_of(st.integers(1, 10**12).map(str), st.from_regex(r"I[A-Z0-9]{1,8}", fullmatch=True)),
    st.sampled_from(["github.com", "gitee.com"]),
)
def test_the_quick_way_and_the_long_way_agree(owner, repository, word, number, host):
    url = f"https://{host}/{owner}/{repository}/{word}/{number}"
    quick, long = outcome(url), outcome(f"{url}?")

    assert quick == long


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_with_a_reason(text):
    found = outcome(text)

    if isinstance(found, Address):
        assert parse(found.url).identity == found.identity
        assert found.url.isascii()
    else:
        assert found in get_args(Reason)


@given(st.sampled_from(SPELLINGS), st.text(max_size=8))
def test_what_stands_behind_a_url_never_changes_the_issue(url, tail):
    found = outcome(f"{bare(url)}#{tail}")

    assert found in {"control", "space"} or (isinstance(found, Address) and found.identity == ISSUE)


def test_every_published_url_is_read(published):
    urls = [
        row["Issue_URL"]
        for path in sorted(published.glob("*/*.csv"))
        for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines())
    ]

    addresses = [parse(url) for url in urls]

    assert len(urls) == 25790
    assert len({address.identity for address in addresses}) == 25784
    assert [address.url for address in addresses] == urls
    assert {address.forge for address in addresses} == {"github", "gitee"}


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://github.com/a/b/issues/1", ""),
        ("https://gitee.com/a/b/issues/I6UHT3", ""),
        ("https://github.com.attacker.example/a/b/issues/1", "github.com.attacker.example"),
        ("https://g\u0456thub.com/a/b/issues/1", "xn--gthub-n2e.com"),
        ("https://git.corp:8080/a/b/issues/1", "git.corp"),
        ("", ""),
    ],
)
def test_a_link_names_a_host_that_is_none_of_the_large_forges(url, host):
    assert unusual_host(url) == host
