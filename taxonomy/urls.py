from django.urls import URLPattern, URLResolver, include, path

from taxonomy.views import drafts, proposals, taxonomies

of_taxonomy = [
    path("", taxonomies.taxonomy, name="taxonomy"),
    path("taxonomy.csv", taxonomies.taxonomy_csv, name="taxonomy_csv"),
    path("codebook.<slug:form>", taxonomies.taxonomy_file, name="taxonomy_file"),
    path("history/", taxonomies.taxonomy_history, name="taxonomy_history"),
    path("draft/", drafts.draft, name="draft"),
    path("draft/changes/", drafts.change_draft, name="change_draft"),
    path("draft/undo/", drafts.undo_change, name="undo_change"),
    path("draft/redo/", drafts.redo_change, name="redo_change"),
    path("draft/publish/", drafts.publish_draft, name="publish_draft"),
    path("draft/delete/", drafts.delete_draft, name="delete_draft"),
    path("proposals/", proposals.proposals, name="proposals"),
    path("proposals/new/", proposals.new_proposal, name="new_proposal"),
    path("proposals/rule/", proposals.proposal_rule, name="proposal_rule"),
    path("proposals/<int:number>/vote/", proposals.vote_on_proposal, name="vote_on_proposal"),
    path("proposals/<int:number>/comments/", proposals.comment_on_proposal, name="comment_on_proposal"),
    path("proposals/seen/", proposals.see_proposal_comments, name="see_proposal_comments"),
    path("proposals/<int:number>/withdraw/", proposals.withdraw_proposal, name="withdraw_proposal"),
]
urlpatterns: list[URLPattern | URLResolver] = [
    path("studies/<str:slug>/taxonomies/", taxonomies.taxonomies, name="taxonomies"),
    path("studies/<str:slug>/taxonomies/new/", taxonomies.new_taxonomy, name="new_taxonomy"),
    path("taxonomies/<int:taxonomy_id>/", include(of_taxonomy)),
]
