"""A proxy on TCP that cuts connections in the middle of requests and of answers, and delays them."""

import asyncio
import random
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress

PIECE = 4096
FATES = {"passes": 12, "is late": 3, "cut before": 2, "cut in the request": 3, "cut before the answer": 3,
         "cut in the answer": 3}  # fmt: skip


class Proxy:
    """Each connection has a fate, drawn in the order of their coming."""

    def __init__(self, to: int, seed: int) -> None:
        self.to = to
        self.draw = random.Random(seed)
        self.fates: Counter[str] = Counter()
        self.is_calm = False
        self.port = 0

    async def serve(self, started: threading.Event, ended: asyncio.Event) -> None:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        async with server:
            await ended.wait()
            # A client that is done has closed its connection; what it came through is closed as well.
            waiting = asyncio.all_tasks() - {asyncio.current_task()}
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            await asyncio.sleep(0.05)  # sockets that were aborted close in the next turns of the loop

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        fate = "passes" if self.is_calm else self.draw.choices([*FATES], [*FATES.values()])[0]
        after = self.draw.randrange(1, 900)
        self.fates[fate] += 1
        if fate == "cut before":
            await self._end(writer, cuts=True)
            return
        if fate == "is late":
            await asyncio.sleep(self.draw.random() * 0.3)
        writers, flows = [writer], []
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self.to)
            writers.append(back)
            answered = {"cut before the answer": 0, "cut in the answer": after}.get(fate)
            flows = [
                asyncio.create_task(
                    self._flow(reader, back, after if fate == "cut in the request" else None)
                ),
                asyncio.create_task(self._flow(there, writer, answered)),
            ]
            await asyncio.wait(flows, return_when=asyncio.FIRST_COMPLETED)
            for flow in flows:
                flow.cancel()
            await asyncio.gather(*flows, return_exceptions=True)
            for one in writers:
                await self._end(one, cuts=fate.startswith("cut"))
        finally:
            for flow in flows:
                flow.cancel()
            for one in writers:
                one.transport.abort()

    @staticmethod
    async def _end(writer: asyncio.StreamWriter, *, cuts: bool) -> None:
        if cuts:
            writer.transport.abort()
        else:
            writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    @staticmethod
    async def _flow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, most: int | None) -> None:
        """Pass bytes on, at most so many."""
        passed = 0
        with suppress(ConnectionError):
            while piece := await reader.read(PIECE):
                if most is not None and passed + len(piece) > most:
                    writer.write(piece[: most - passed])
                    await writer.drain()
                    return
                passed += len(piece)
                writer.write(piece)
                await writer.drain()


@contextmanager
def cutting(to: int, seed: int) -> Iterator[Proxy]:
    """A proxy before the server at this port, in a thread of its own."""
    proxy, started, ends = Proxy(to, seed), threading.Event(), []

    async def run() -> None:
        ended = asyncio.Event()
        ends.append((asyncio.get_running_loop(), ended))
        await proxy.serve(started, ended)

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    assert started.wait(timeout=10)
    try:
        yield proxy
    finally:
        loop, ended = ends[0]
        loop.call_soon_threadsafe(ended.set)
        thread.join(timeout=10)
