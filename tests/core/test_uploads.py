"""No more of an upload is kept than the limit and a little."""

from core.uploads import MARGIN, Capped


def test_passes_on_what_is_within_the_limit(settings) -> None:
    settings.UPLOAD_MAX_BYTES = 100
    handler = Capped()

    assert handler.receive_data_chunk(b"abc", 0) == b"abc"
    assert handler.receive_data_chunk(b"abc", 100 + MARGIN - 1) == b"abc"


def test_drops_what_lies_past_it_and_leaves_the_file_to_others(settings) -> None:
    settings.UPLOAD_MAX_BYTES = 100
    handler = Capped()

    assert handler.receive_data_chunk(b"abc", 100 + MARGIN) is None
    assert handler.file_complete(7) is None
