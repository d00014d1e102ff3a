"""A front as a deployment has one: TCP in, and each new connection to the next of its hosts."""

import asyncio
import threading
from collections import Counter
from contextlib import suppress
from types import TracebackType
from typing import Self

Host = tuple[str, int]


class Front:
    """Listens at a free port while the block runs. Hosts come and go meanwhile; one that takes no connection is
    passed over, as every front does. It repeats no request.
    """

    def __init__(self, *hosts: Host) -> None:
        self.hosts = list(hosts)
        self.given: Counter[Host] = Counter()
        """Connections by host."""
        self.turn = 0
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._listens = threading.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._listens.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._listens.set()
        self._loop.run_forever()
        server.close()
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        self._loop.run_until_complete(asyncio.sleep(0.1))  # until closed connections are closed
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened = await self._open()
        if opened is None:
            writer.close()
            return
        there, back = opened
        asking = asyncio.ensure_future(_pass_on(reader, back))
        try:
            with suppress(asyncio.CancelledError):  # the front ends
                await _pass_on(there, writer)
        finally:
            asking.cancel()
            for end in (back, writer):
                end.close()

    async def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        hosts = list(self.hosts)
        for step in range(len(hosts)):
            host = hosts[(self.turn + step) % len(hosts)]
            try:
                opened = await asyncio.wait_for(asyncio.open_connection(*host), 1)
            except (OSError, TimeoutError):
                continue
            self.turn += step + 1
            self.given[host] += 1
            return opened
        return None


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):  # one of the two ended: so does this connection
        while piece := await reader.read(1 << 16):
            writer.write(piece)
            await writer.drain()
