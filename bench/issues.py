"""List pages of a full study: its issues, plain and filtered, and the pages of its keyword lists."""

import json
from collections.abc import Iterator

from django.conf import settings
from django.db import connection

from bench.ground import Ground, Measurement, percentile, seconds, timed
from bench.rounds import TEXTS, in_bulk, keywords, team_of, texts
from bench.submit import WARM_UP, one_query, signed_in
from ingest.actions import ListContent, find_keywords, keep_missing_words, make_keyword_list
from ingest.keywords import Term
from ingest.models import Issue, KeywordList, Snapshot

TIMES = 30
MOST = 0.1
RARE = "gradient checkpointing"


def rows(ground: Ground) -> Iterator[Measurement]:
    settings.ROOT_URLCONF = "bench.urls"
    lead, round_, _members = team_of(ground.study(ground.issues))
    study = lead.study
    if not Snapshot.objects.filter(issue__repository__study=study).exists():
        in_bulk(TEXTS, {"texts": json.dumps(texts()), "study": study.pk})
    ground.say("words of texts …")
    keep_missing_words()
    KeywordList.objects.filter(study=study).delete()
    terms = keywords().terms
    for name, some in (("Models", terms[::2]), ("Modules", terms[1::2]), ("Rare", [Term(RARE)])):
        make_keyword_list(study=study, name=name, content=ListContent(some), by=None)
    ground.say("keyword lists …")
    find_keywords(study_id=study.pk)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")  # autovacuum does this within minutes
    limit = percentile(one_query(round_, lead)[WARM_UP:], 0.95)
    client = signed_in(lead)
    count = Issue.objects.filter(repository__study=study).count()
    middle = Issue.objects.filter(repository__study=study).order_by("pk")[count // 2].pk
    models = KeywordList.objects.get(study=study, name="Models").pk
    page, lists = f"/studies/{study.slug}/issues/", f"/studies/{study.slug}/keywords/"
    addresses = {
        "issues": page,
        "issues, the page in the middle": f"{page}?before={middle}",
        "issues of one repository": f"{page}?repository={Issue.objects.get(pk=middle).repository_id}",
        "issues by words": f"{page}?q=memory+crash",
        "issues by a word in many texts": f"{page}?q=the",
        "issues by the beginning of a word": f"{page}?q=mem",
        "issues by Chinese words": f"{page}?q=%E5%86%85%E5%AD%98",
        "issues by words that nothing has": f"{page}?q=zyzzyva+crash",
        "issues by a number": f"{page}?q=%23129",
        "issues with a keyword": f"{page}?found=any",
        "issues with a keyword of one list": f"{page}?list={models}&found=any",
        "issues with three hits in prose": f"{page}?zone=prose&hits=3",
        "issues with a term": f"{page}?keyword={terms[0].text}",
        "issues with keywords in paths only": f"{page}?found=masked",
        "issues without a keyword": f"{page}?found=none",
        "keyword lists": lists,
        "one keyword list": f"{lists}{models}/",
    }
    for what, address in addresses.items():

        def look(address: str = address) -> None:
            answer = client.get(address)
            if answer.status_code != 200:
                raise RuntimeError(f"{address}: {answer.status_code}")

        first = f"; the first time {seconds(timed(look))}"
        times = [timed(look) for _ in range(TIMES)]
        yield Measurement.p95(f"{what}, {count:,}", times, limit, most=MOST, note=first)
