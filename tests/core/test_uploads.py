"""No more of an upload is kept than the limit and a little, however many files it has."""

from core.uploads import MARGIN, Capped


def test_passes_on_what_is_within_the_limit_and_drops_the_rest(settings) -> None:
    settings.UPLOAD_MAX_BYTES = 100
    handler = Capped()
    large = bytes(MARGIN + 97)

    # The place in its file says nothing of the files before it.
    passed = [handler.receive_data_chunk(data, start) for data, start in ((large, 0), (b"abc", 0), (b"d", 0))]

    assert passed == [large, b"abc", None]
    assert handler.file_complete(7) is None
