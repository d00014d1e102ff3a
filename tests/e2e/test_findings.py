"""A lead writes a finding, attaches a quote and a number, and freezes it: in the browser, on a phone and in Chinese."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.axe import violations
from tests.findings.world import finding_world
from tests.long import only_long

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def keep(page, name: str) -> None:
    """A picture of the page, where a folder is named for it."""
    if folder := os.environ.get("CROSSCHECK_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


@only_long
def test_a_finding_goes_from_its_text_to_frozen(open_page):
    world = finding_world()
    page = open_page(world.lead.user, f"/studies/{world.study.slug}/findings/")
    keep(page, "findings-empty")
    assert violations(page) == []
    page.get_by_role("main").get_by_role("link", name="Add finding").click()
    page.get_by_label("Finding").fill("Agreement on themes is {1}. Users say {2}.")
    page.get_by_role("button", name="Add finding").click()
    page.get_by_role("link", name="Attach number").click()
    keep(page, "findings-number-ask")
    page.get_by_role("button", name="Show numbers").click()
    page.locator("#q").fill("all fleiss")
    page.get_by_role("button", name="Search", exact=True).click()
    assert violations(page) == []
    page.get_by_label("All issues: Fleiss’ kappa").check()
    keep(page, "findings-number")
    page.get_by_role("button", name="Attach number").click()
    page.get_by_role("link", name="Attach quote").click()
    page.get_by_role("radio").first.check()
    page.get_by_label("Note").fill("said twice")
    keep(page, "findings-quote")
    assert violations(page) == []
    page.get_by_role("button", name="Attach quote").click()
    expect(page.locator(".told")).to_have_text("Agreement on themes is 0.438. Users say “models”.")
    keep(page, "findings-finding")
    assert violations(page) == []
    page.get_by_role("button", name="Freeze finding").click()
    page.locator("dialog[open]").get_by_role("button", name="Freeze finding").click()
    expect(page.get_by_role("main")).to_contain_text("Its numbers are those of that moment")
    world.finding("Kappa is {1}; developers say {2}; the issue is {3}, ranked {4}.")
    world.base.settle(world.round, world.base.issues[2], "C.9", seen=1)
    page.goto(page.url.partition("/findings/")[0] + f"/studies/{world.study.slug}/findings/")
    keep(page, "findings-list")
    assert violations(page) == []
    page.get_by_role("link", name="Show evidence table").click()
    expect(page.get_by_role("row")).to_have_count(7)
    keep(page, "findings-chain")
    assert violations(page) == []

    phone = open_page(
        world.viewer.user, f"/studies/{world.study.slug}/findings/", phone=True, language="zh-CN"
    )
    expect(phone.get_by_role("main")).to_contain_text("研究发现")
    expect(phone.locator(".told")).to_have_text("Agreement on themes is 0.438. Users say “models”.")
    keep(phone, "findings-phone")
    phone.locator(".findings a").last.click()
    keep(phone, "findings-phone-one")
    assert violations(phone) == []
