from django.urls import URLPattern, URLResolver, include, path

from findings.views import evidence, findings

of_study: list[URLPattern | URLResolver] = [
    path("findings/", findings.findings, name="findings"),
    path("findings/new/", findings.new_finding, name="new_finding"),
    path("findings/chain/", findings.chain, name="finding_chain"),
    path("findings/findings.<str:form>", findings.findings_file, name="findings_file"),
]
of_finding: list[URLPattern | URLResolver] = [
    path("", findings.finding, name="finding"),
    path("edit/", findings.edit_finding, name="edit_finding"),
    path("move/", findings.move, name="move_finding"),
    path("delete/", findings.delete, name="delete_finding"),
    path("restore/", findings.restore, name="restore_finding"),
    path("freeze/", findings.freeze, name="freeze_finding"),
    path("attach/<str:kind>/", evidence.attach, name="attach_evidence"),
    path("evidence/<int:number>/remove/", evidence.remove, name="remove_evidence"),
    path("confirm/", evidence.confirm, name="confirm_evidence"),
]
urlpatterns: list[URLPattern | URLResolver] = [
    path("studies/<str:slug>/", include(of_study)),
    path("findings/<int:finding_id>/", include(of_finding)),
]
