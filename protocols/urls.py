from django.urls import URLPattern, URLResolver, include, path

from protocols.views import deviations, drafts, protocols

of_study: list[URLPattern | URLResolver] = [
    path("", protocols.protocol, name="protocol"),
    path("versions/<int:number>/", protocols.protocol_version, name="protocol_version"),
    path("versions/<int:number>.<str:form>", protocols.protocol_file, name="protocol_file"),
    path("deviations/", deviations.deviations, name="deviations"),
    path("deviations/explain/", deviations.explain, name="explain_deviation"),
    path("deviations.csv", deviations.deviations_file, name="deviations_csv"),
    path("start/", drafts.start, name="start_protocol"),
    path("draft/", drafts.draft, name="protocol_draft"),
    path("draft/undo/", drafts.undo, name="undo_protocol"),
    path("draft/discard/", drafts.discard, name="discard_protocol"),
    path("draft/freeze/", drafts.freeze, name="freeze_protocol"),
]
urlpatterns: list[URLPattern | URLResolver] = [path("studies/<str:slug>/protocol/", include(of_study))]
