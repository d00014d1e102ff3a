"""Triggers are declared on the models, and `migrate` installs what is declared (decision 0024)."""

import pgtrigger
import pytest

pytestmark = pytest.mark.django_db


def test_every_declared_trigger_is_installed_as_it_is_declared():
    found = [trigger.get_installation_status(model) for model, trigger in pgtrigger.registered()]
    assert len(found) > 30
    assert set(found) == {("INSTALLED", True)}
