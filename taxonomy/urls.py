from django.urls import URLPattern, path

from taxonomy.views import drafts, files, history, proposals, taxonomies

urlpatterns: list[URLPattern] = [
    path("studies/<str:slug>/taxonomies/", taxonomies.taxonomies, name="taxonomies"),
    path("studies/<str:slug>/taxonomies/new/", taxonomies.new_taxonomy, name="new_taxonomy"),
    path("taxonomies/<int:taxonomy_id>/", taxonomies.taxonomy, name="taxonomy"),
    path("taxonomies/<int:taxonomy_id>/taxonomy.csv", files.taxonomy_csv, name="taxonomy_csv"),
    path("taxonomies/<int:taxonomy_id>/codebook.<slug:form>", files.taxonomy_file, name="taxonomy_file"),
    path("taxonomies/<int:taxonomy_id>/history/", history.taxonomy_history, name="taxonomy_history"),
    path("taxonomies/<int:taxonomy_id>/draft/", drafts.draft, name="draft"),
    path("taxonomies/<int:taxonomy_id>/draft/changes/", drafts.change_draft, name="change_draft"),
    path("taxonomies/<int:taxonomy_id>/draft/undo/", drafts.undo_change, name="undo_change"),
    path("taxonomies/<int:taxonomy_id>/draft/redo/", drafts.redo_change, name="redo_change"),
    path("taxonomies/<int:taxonomy_id>/draft/publish/", drafts.publish_draft, name="publish_draft"),
    path("taxonomies/<int:taxonomy_id>/proposals/", proposals.proposals, name="proposals"),
    path("taxonomies/<int:taxonomy_id>/proposals/new/", proposals.new_proposal, name="new_proposal"),
    path("taxonomies/<int:taxonomy_id>/proposals/rule/", proposals.proposal_rule, name="proposal_rule"),
    path(
        "taxonomies/<int:taxonomy_id>/proposals/<int:number>/vote/",
        proposals.vote_on_proposal,
        name="vote_on_proposal",
    ),
    path(
        "taxonomies/<int:taxonomy_id>/proposals/<int:number>/comments/",
        proposals.comment_on_proposal,
        name="comment_on_proposal",
    ),
    path(
        "taxonomies/<int:taxonomy_id>/proposals/seen/",
        proposals.see_proposal_comments,
        name="see_proposal_comments",
    ),
    path(
        "taxonomies/<int:taxonomy_id>/proposals/<int:number>/withdraw/",
        proposals.withdraw_proposal,
        name="withdraw_proposal",
    ),
]
