"""No more of an upload is kept than the limit and a little."""

from core.uploads import MARGIN, Capped


def test_passes_on_what_is_within_the_limit_and_drops_the_rest(settings) -> None:
    settings.UPLOAD_MAX_BYTES = 100
    handler = Capped()

    passed = [handler.receive_data_chunk(b"abc", start) for start in (0, 100 + MARGIN - 1, 100 + MARGIN)]

    assert passed == [b"abc", b"abc", None]
    assert handler.file_complete(7) is None
