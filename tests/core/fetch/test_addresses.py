"""Which addresses may be asked. None of these tests sends anything."""

import pytest

from core.fetch.addresses import Refused, checked, target_of


def _reason(url, allowed=()):
    with pytest.raises(Refused) as refused:
        target_of(url, allowed)
    return refused.value.reason


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("https://api.github.com/repos/o/r", "api.github.com", 443),
        ("https://API.GitHub.com./repos", "api.github.com", 443),
        ("HTTPS://git.example.org:8443/api/v3", "git.example.org", 8443),
        ("https://例え.jp/", "xn--r8jz45g.jp", 443),
        ("https://140.82.112.5/", "140.82.112.5", 443),
        ("https://[2606:50c0:8000::153]/", "2606:50c0:8000::153", 443),
    ],
)
def test_public_https_is_asked(url, host, port):
    target = target_of(url)
    assert (target.host, target.port, target.is_allowed) == (host, port, False)


@pytest.mark.parametrize(
    "url",
    [
        "http://api.github.com/", "file:///etc/passwd", "ftp://example.org/", "gopher://example.org/", "ws://example.org/",
        "//example.org/", "example.org", "", "javascript:alert(1)", "data:text/plain,x",
    ],
)  # fmt: skip
def test_other_schemes_are_refused(url):
    assert _reason(url) == "scheme"


def test_credentials_in_an_address_are_refused():
    assert _reason("https://user:password@example.org/") == "credentials"
    assert _reason("https://user@example.org/") == "credentials"
    assert _reason("https://example.org@127.0.0.1/", ["127.0.0.1"]) == "credentials"


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.8.9.10", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.1.1",
        "100.64.0.1", "100.127.255.255", "[::1]", "[fc00::1]", "[fd12::1]", "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]",
        "[::ffff:c0a8:101]", "[64:ff9b::7f00:1]", "[64:ff9b::10.0.0.1]", "127.0.0.1.",
    ],
)  # fmt: skip
def test_the_inside_is_refused(host):
    assert _reason(f"https://{host}/") == "inside"
    assert _reason(f"https://{host}:8443/x?y=z") == "inside"


@pytest.mark.parametrize(
    "host",
    [
        "169.254.169.254", "169.254.0.1", "[fd00:ec2::254]", "100.100.100.200", "168.63.129.16", "0.0.0.0", "0.1.2.3",  # noqa: S104
        "[::]", "[fe80::1]", "[ff02::1]", "224.0.0.1", "255.255.255.255", "240.0.0.1", "192.0.2.1", "198.18.0.1",
        "[::ffff:169.254.169.254]", "[2002:7f00:1::]", "[2001:0:7f00:1::]", "[2001:db8::1]", "[::7f00:1]",
    ],
)  # fmt: skip
def test_link_local_and_metadata_and_unused_addresses_are_refused(host):
    assert _reason(f"https://{host}/") == "forbidden"


@pytest.mark.parametrize(
    "host",
    [
        "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "127.0.1", "017700000001", "1.2.3.4.5", "0x7f.0.0.0x1",
        "[::1%25lo]", "[fe80::1%eth0]", "127.0.0.1%00.example.org", "exa mple.org", "example.org\\@127.0.0.1", "a..b",
        "-a.org", ".", "", "[::1", "x" * 64 + ".org", "example.org:0x50", "example.org:99999", "exam\nple.org",
    ],
)  # fmt: skip
def test_odd_spellings_are_refused(host):
    assert _reason(f"https://{host}/") == "host"


def test_an_allowed_host_may_be_inside_and_speak_http():
    assert target_of("http://127.0.0.1:8080/x", ["127.0.0.1"]).is_allowed
    assert target_of("http://127.0.0.1:8080/x", ["127.0.0.1:8080"]).is_allowed
    assert target_of("http://[::1]:8080/x", ["[::1]:8080"]).is_allowed
    assert target_of("http://Git.Corp/x", ["git.corp"]).is_allowed
    assert _reason("http://127.0.0.1:8081/x", ["127.0.0.1:8080"]) == "scheme"
    assert _reason("https://127.0.0.2/", ["127.0.0.1"]) == "inside"
    assert _reason("ftp://git.corp/", ["git.corp"]) == "scheme"
    # Also a metadata service, but only if its address itself is written down.
    assert target_of("http://169.254.169.254/x", ["169.254.169.254"]).is_allowed


def test_all_addresses_of_a_name_are_checked():
    public, allowed = target_of("https://forge.example.org/"), target_of("http://git.corp/", ["git.corp"])
    assert checked(["140.82.112.5", "2606:50c0:8000::153"], public) == ["140.82.112.5", "2606:50c0:8000::153"]
    assert checked(["10.0.0.5", "::1"], allowed) == ["10.0.0.5", "::1"]
    for addresses, target in [
        (["127.0.0.1"], public),
        (["140.82.112.5", "127.0.0.1"], public),
        (["::ffff:10.1.2.3"], public),
        (["fe80::1%eth0"], public),
        (["169.254.169.254"], allowed),
        (["10.0.0.5", "169.254.169.254"], allowed),
        (["0.0.0.0"], allowed),  # noqa: S104
    ]:
        with pytest.raises(Refused):
            checked(addresses, target)
