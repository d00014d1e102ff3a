"""A server on loopback that plays GitHub and Gitee, with the faults that both have had.

    with ForgeServer() as server:
        repository = server.github("vllm-project/vllm", issues=250)
        server.faults.add("502", at=3)
        client = ForgeClient(GitHub(server.github_base, "github.com"), Fetcher([server.host]), clock=server.clock.now, sleep=server.clock.sleep)

Answers have the fields of recorded ones; their values are written here and the same in every run. The clock is virtual:
it stands still but for `sleep`, so a wait of an hour takes no time (`ForgeServer(clock=RealClock())`: as on the wall).
"""

from tests.forges.clock import Clock, RealClock
from tests.forges.server import ForgeServer
from tests.forges.world import Comment, Issue, Repository

__all__ = ["Clock", "Comment", "ForgeServer", "Issue", "RealClock", "Repository"]
