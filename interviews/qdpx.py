"""A project in the exchange format REFI-QDA 1.5 (`.qdpx`): a ZIP archive of an XML file and of transcripts as
texts. Places are counted in characters, from 0; the end is that after the last one.
"""

import io
import zipfile
from uuid import UUID, uuid5
from xml.etree.ElementTree import Element, SubElement

from django.utils import timezone

from core import clock
from interviews.queries.projects import Marked, Project, Source
from taxonomy.models import CategoryState
from taxonomy.refi import ORIGIN, add_codes, as_file, code_element, keys_of, xml_text

NAMESPACE = "urn:QDA-XML:project:1.0"
TOGETHER = "Settled together"
LEFT = (
    "Not in this file: names and contacts; roles, incentives and further columns of participants; consents;"
    " interviewers and lengths of interviews; the guide; rankings; agreement of coders; strength of quotes;"
    " reasons of settlements; quotes of interviews that are not revealed; quotes of single coders in settled"
    " interviews; quotes whose words a corrected transcript lacks; open codes with a listed name; earlier"
    " versions of transcripts and of the taxonomy; texts of categories in other languages; imported"
    " codebooks; findings; and interviews whose participants do not permit quoting and sharing."
)
_VARIABLES = ("Audience", "Experience", "Frameworks")


def write_qdpx(project: Project) -> bytes:
    """The archive. Two queries for each version of a taxonomy, and two more."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_entry("project.qde"), as_file(_root(project)))
        for source in project.sources:
            name = f"Sources/{_guid(project, 'source', source.session.pk)}.txt"
            archive.writestr(_entry(name), xml_text(source.text))
    return out.getvalue()


def _entry(name: str) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name, timezone.localtime(clock.now()).timetuple()[:6])
    made.compress_type = zipfile.ZIP_DEFLATED
    return made


def _guid(project: Project, kind: str, key: object) -> str:
    return str(uuid5(UUID(int=project.study.pk), f"{kind}:{key}"))


def _root(project: Project) -> Element:
    root = Element(
        "Project",
        {
            "xmlns": NAMESPACE,
            "name": xml_text(project.study.name),
            "origin": ORIGIN,
            "creationDateTime": clock.now().strftime("%Y-%m-%dT%H:%M:%SZ"),
        },
    )
    users = list(dict.fromkeys(quote.by for source in project.sources for quote in source.quotes))
    if users:
        above = SubElement(root, "Users")
        for name in users:
            SubElement(above, "User", {"guid": _guid(project, "user", name), "name": name or TOGETHER})
    keys = _codes(root, project)
    if project.sources:
        variables = SubElement(root, "Variables")
        for name in _VARIABLES:
            values = {"guid": _guid(project, "variable", name), "name": name, "typeOfVariable": "Text"}
            SubElement(variables, "Variable", values)
        _cases(SubElement(root, "Cases"), project)
        sources = SubElement(root, "Sources")
        for source in project.sources:
            _source(sources, project, source, keys)
    left = project.left_out
    counts = f"Interviews left out: {left.consent} without consent, {left.names} with a listed name."
    SubElement(root, "Description").text = f"{LEFT} {counts}"
    return root


def _codes(root: Element, project: Project) -> dict[int, str]:
    """Add the codebook: the newest version of each taxonomy, used categories that it lacks, and open codes.
    Gives the guids of categories by their ids.
    """
    newest = {one.taxonomy_id: one for one in sorted(project.versions, key=lambda one: one.number)}
    if not newest:
        return {}
    codes = SubElement(SubElement(root, "CodeBook"), "Codes")
    known: set[int] = set()
    for version in newest.values():
        known |= add_codes(codes, version)
    used = {one for source in project.sources for quote in source.quotes for one in quote.categories}
    keys = keys_of(known | used)
    former = CategoryState.objects.filter(category__in=used - known).order_by("version__number")
    said = dict(former.values_list("category", "code"))
    for category in sorted(used - known):
        code_element(codes, keys[category], f"Former category {said.get(category, '')}".strip())
    if project.open_codes:
        above = code_element(codes, UUID(_guid(project, "open codes", "")), "Open codes", codable=False)
        for one in project.open_codes:
            code_element(above, UUID(_guid(project, "open code", one.pk)), one.name)
    return {category: str(key) for category, key in keys.items()}


def _cases(cases: Element, project: Project) -> None:
    """A case for each participant, with the background that the study may know."""
    people: dict[int, list[Source]] = {}
    for source in project.sources:
        people.setdefault(source.participant.pk, []).append(source)
    for pk, sources in people.items():
        who = sources[0].participant
        case = SubElement(cases, "Case", {"guid": _guid(project, "case", pk), "name": str(who)})
        for name, value in zip(_VARIABLES, (who.audience.name, who.experience, who.context), strict=True):
            row = SubElement(case, "VariableValue")
            SubElement(row, "VariableRef", {"targetGUID": _guid(project, "variable", name)})
            SubElement(row, "TextValue").text = xml_text(value)
        for source in sources:
            SubElement(case, "SourceRef", {"targetGUID": _guid(project, "source", source.session.pk)})


def _source(above: Element, project: Project, source: Source, keys: dict[int, str]) -> None:
    guid = _guid(project, "source", source.session.pk)
    values = {"guid": guid, "name": source.name, "plainTextPath": f"internal://{guid}.txt"}
    made = SubElement(above, "TextSource", values)
    open_codes = {one.pk for one in project.open_codes}
    for quote in source.quotes:
        _selection(made, project, quote, keys, open_codes)


def _selection(
    above: Element, project: Project, quote: Marked, keys: dict[int, str], open_codes: set[int]
) -> None:
    user = _guid(project, "user", quote.by)
    made = SubElement(
        above,
        "PlainTextSelection",
        {
            "guid": _guid(project, "quote", quote.pk),
            "startPosition": str(quote.start),
            "endPosition": str(quote.end),
            "creatingUser": user,
        },
    )
    if quote.memo:
        SubElement(made, "Description").text = xml_text(quote.memo)
    targets = [keys[one] for one in quote.categories]
    targets += [_guid(project, "open code", one) for one in quote.open_codes if one in open_codes]
    for target in targets:
        values = {"guid": _guid(project, f"coding of {quote.pk}", target), "creatingUser": user}
        SubElement(SubElement(made, "Coding", values), "CodeRef", {"targetGUID": target})
