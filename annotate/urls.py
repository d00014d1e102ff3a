from django.urls import URLPattern, path

from annotate.views import labels

urlpatterns: list[URLPattern] = [
    path("rounds/<int:round_id>/label/", labels.label, name="label"),
    path("rounds/<int:round_id>/label/next/", labels.next_issue, name="next_issue"),
    path("rounds/<int:round_id>/label/submit/", labels.submit_label, name="submit_label"),
    path("rounds/<int:round_id>/label/change/", labels.change_label, name="change_label"),
    path("rounds/<int:round_id>/label/draft/", labels.save_draft, name="save_draft"),
    path("rounds/<int:round_id>/label/skip/", labels.skip_issue, name="skip_issue"),
    path("rounds/<int:round_id>/label/take-back/", labels.take_back_skip, name="take_back_skip"),
    path("rounds/<int:round_id>/mine/", labels.own_labels, name="own_labels"),
]
