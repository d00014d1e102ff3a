"""All that is stored of one person, by table: which rows are theirs, and which columns of these.

Each table with a link to a user or a member, and each whose rows are parts of such rows, is in one of the two
lists, and a test finds the ones that are in neither. What others did, interviewed people said, or is a
secret, is in no row that is given.

Numbers of rows are left out: they count what others did meanwhile, which is hidden until the reveal. So are
slots, and who was the first to propose a name.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Own:
    """The rows of a table whose columns `by` are the person. `more` are columns of other tables that make a
    row readable, and `without` columns that are left out. `only` are conditions.
    """

    by: tuple[str, ...]
    more: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    only: tuple[tuple[str, object], ...] = ()


_ISSUE = ("issue__url", "round__name")
_HIDDEN = ("form_key", "assignment_id", "proposal_id", "pgh_obj_id", "pgh_context_id", "id")
_NAMED = (*_ISSUE, "proposal__name")

OWN: dict[str, Own] = {
    "account.EmailAddress": Own(("user",)),
    "knox.AuthToken": Own(("user",), ("terms__name", "terms__scope", "terms__used_at"), ("digest",)),
    "accounts.SignInLink": Own(("user",), without=("token_hash",)),
    "accounts.AddressChange": Own(("user",), without=("token_hash",)),
    "core.Job": Own(("created_by",), without=("arguments", "result", "error", "content_hash")),
    "studies.Membership": Own(("user",), ("study__name", "study__slug")),
    "studies.RemovedStudy": Own(("asked_by",), without=("rows", "files")),
    "studies.Invitation": Own(("created_by", "accepted_by"), ("study__name",), ("token_hash",)),
    "studies.Event": Own(("by",), ("study__name",)),
    "studies.Guideline": Own(("published_by",), ("study__name",)),
    "studies.GuidelineReading": Own(("member",), ("guideline__number",)),
    "taxonomy.Version": Own(("published_by",), ("taxonomy__name",)),
    "taxonomy.Change": Own(("made_by",)),
    "taxonomy.Motion": Own(
        ("opened_by",), without=("examples", "electorate", "in_favour", "against", "abstained")
    ),
    "taxonomy.Ballot": Own(("member",)),
    "taxonomy.MotionComment": Own(("author",)),
    "taxonomy.MotionMention": Own(("member",)),
    "ingest.Import": Own(("created_by",), without=("path", "counts", "mapping")),
    "ingest.KeywordList": Own(("created_by",)),
    "ingest.KeywordListVersion": Own(("stored_by",)),
    "ingest.SavedFilter": Own(("created_by",)),
    "ingest.SimilarMark": Own(("marked_by", "ended_by")),
    "harvests.Selection": Own(("chosen_by",), without=("counts", "terms")),
    "harvests.ForgeToken": Own(("given_by",), without=("sealed",)),
    "rounds.RoundVolunteer": Own(("member", "admitted_by"), ("round__name",), ("seed",)),
    "rounds.PastAdmission": Own(("admitted_by", "taken_back_by")),
    "rounds.Assignment": Own(("volunteer",), _ISSUE, ("rank", "slot")),
    "rounds.Label": Own(("volunteer",), _NAMED, _HIDDEN),
    "rounds.LabelEvent": Own(("volunteer",), without=_HIDDEN),
    "rounds.Answer": Own(("given_by",), _ISSUE),
    "consensus.Comment": Own(("author",), _ISSUE),
    "consensus.BulkDecision": Own(("by", "taken_back_by"), ("round__name",)),
    "consensus.Decision": Own(("decided_by",), _ISSUE, ("superseded_why",)),
    "consensus.Meeting": Own(("chair", "created_by"), ("round__name",), ("revision",)),
    "consensus.Participant": Own(("member",), ("meeting__name",)),
    "consensus.AgendaItem": Own(("added_by",), _ISSUE, ("parked_why",)),
    "consensus.Vote": Own(("opened_by", "closed_by"), without=("present",)),
    "consensus.Ballot": Own(("member",)),
    "consensus.FollowUp": Own(("made_by", "done_by")),
    "consensus.Digest": Own(("member",)),
    "consensus.Mention": Own(("member",)),
    "annotate.Draft": Own(("volunteer",), _ISSUE),
    # What is still to come again is a check that its volunteer does not know of.
    "annotate.Repeat": Own(("volunteer",), _NAMED, _HIDDEN, only=(("submitted_at__isnull", False),)),
    "annotate.Skip": Own(("volunteer",), _ISSUE),
    "annotate.Sample": Own(("created_by",)),
    "annotate.ModelLabel": Own(("member",), _ISSUE),
    "interviews.ImportedCodebook": Own(("imported_by",)),
    "interviews.Guide": Own(("published_by",)),
    "interviews.ConsentText": Own(("published_by",)),
    "interviews.Interviewer": Own(("member",)),
    "interviews.Coder": Own(("member",)),
    # The memo is theirs; the words of a quote are the participant's, and in no column here.
    "interviews.Quote": Own(("made_by",), ("turn__position",), ("carried_from_id", "turn_id", "coder_id")),
    # A quote is named by its place, as in the rows of quotes.
    "interviews.QuoteCode": Own(
        ("quote__made_by",),
        (
            "quote__transcript_id",
            "quote__turn__position",
            "quote__start",
            "quote__end",
            "quote__coding__version_id",
            "open_code__name",
        ),
        ("quote_id", "open_code_id"),
    ),
    "reports.FrozenReport": Own(("frozen_by",), ("round__name",), ("document", "issues", "inputs_hash")),
    "reports.WeightMatrix": Own(("set_by",)),
    "findings.Finding": Own(("made_by", "frozen_by")),
    "findings.Evidence": Own(("attached_by",), without=("figure", "noted")),
    "standards.ItemAnswer": Own(("given_by",)),
    "standards.RaterBackground": Own(("member",)),
    "standards.Citation": Own(("changed_by",)),
    "protocols.Protocol": Own(
        ("made_by", "saved_by", "frozen_by"), without=("before", "digest", "document", "plan", "taken")
    ),
    "protocols.DeviationReason": Own(("written_by",)),
    "boards.Board": Own(("made_by",)),
    "boards.Sorting": Own(("member",)),
    "boards.Pile": Own(
        ("sorting__member",), ("sorting__board_id", "sorting__board__name"), ("sorting_id", "made")
    ),
    "boards.Placement": Own(
        ("sorting__member",), ("card__number", "pile__number"), ("sorting_id", "card_id", "pile_id")
    ),
    "boards.Move": Own(("member",), without=("cards", "piles")),
}

LEFT_OUT: dict[str, str] = {
    "studies.Study": "of all its members; that you asked to delete it is in studies.Event",
    "taxonomy.Proposal": "your proposed names are in your labels; who proposed a name first is hidden",
    "interviews.OpenCode": "names that all coders share; who made a name first is hidden",
    "pghistory.MiddlewareEvents": "a view of the tables of history, which are given themselves",
    "core.HandledForm": "random keys, by which a form that is sent twice acts once",
    "accounts.User_groups": "not used",
    "accounts.User_user_permissions": "not used",
    "rounds.CurrentLabel": "which label counts: a copy of columns of the labels",
    "interviews.Participant": "about an interviewed person, not about the member who wrote it down",
    "interviews.Replacement": "names of interviewed people",
    "interviews.Consent": "of an interviewed person",
    "interviews.Session": "of an interviewed person",
    "interviews.RawTranscript": "what an interviewed person said",
    "interviews.Transcript": "what an interviewed person said",
    "interviews.Ranking": "what an interviewed person ranked",
    "interviews.Coding": "who opened it is in the audit",
    "interviews.Settlement": "what two coders settled together",
    "interviews.Settlement_sources": "what two coders settled together",
    "interviews.CodebookEntry": "content of the study: the entries of an imported codebook",
    "interviews.Part": "content of the study: the parts of a guide",
    "account.EmailConfirmation": "not used",
    "accounts.TokenTerms": "columns of knox.AuthToken",
    "taxonomy.CategoryState": "content of the study: the categories of a version",
    "taxonomy.Unvoted": "content of the study: the categories of a version",
    "taxonomy.Gone": "content of the study: the categories of a version",
    "ingest.ImportRow": "content of the study: the rows of an imported file",
    "ingest.KeywordTerm": "content of the study: the keywords of a list",
    "harvests.Harvest": "how an import of the study went",
    "harvests.Harvest_lists": "which lists of keywords a harvest of the study searched for",
    "harvests.Selection_lists": "which lists of keywords a selection of the study used",
    "annotate.SampleIssue": "content of the study: the issues of a sample",
    "annotate.LeftOut": "content of the study: the issues that a sample leaves out",
    "boards.Card": "content of the study: the cards of a board",
}
