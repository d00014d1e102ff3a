from django.urls import URLPattern, path

from overview.views.digests import set_digest
from overview.views.home import home
from overview.views.study import study

urlpatterns: list[URLPattern] = [
    path("studies/<slug:slug>/digest/", set_digest, name="set_digest"),
    path("", home, name="home"),
    path("studies/<slug:slug>/", study, name="study"),
]
