"""Every change of a harvest, of the tokens of a study, and of issues known by their address only."""

from harvests.actions.fetching import run_harvest
from harvests.actions.hand_picked import keep_by_hand, take_back
from harvests.actions.harvests import JOB as HARVEST_JOB
from harvests.actions.harvests import (
    pause_harvest,
    plan_harvest,
    refresh_harvest,
    resume_harvests,
    start_harvest,
)
from harvests.actions.resolving import JOB as RESOLVING_JOB
from harvests.actions.resolving import resolve_listed, run_resolving
from harvests.actions.selections import run_selection, select_issues
from harvests.actions.tokens import add_token, remove_token
from harvests.queries.selecting import SELECTION_JOB

__all__ = [
    "HARVEST_JOB",
    "RESOLVING_JOB",
    "SELECTION_JOB",
    "add_token",
    "keep_by_hand",
    "pause_harvest",
    "plan_harvest",
    "refresh_harvest",
    "remove_token",
    "resolve_listed",
    "resume_harvests",
    "run_harvest",
    "run_resolving",
    "run_selection",
    "select_issues",
    "start_harvest",
    "take_back",
]
