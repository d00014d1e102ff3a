from django.urls import URLPattern, path

from overview.views.digests import set_digest
from overview.views.home import home
from overview.views.my_data import my_data
from overview.views.study import study

urlpatterns: list[URLPattern] = [
    path("studies/<slug:slug>/digest/", set_digest, name="set_digest"),
    path("accounts/me/data.zip", my_data, name="my_data"),
    path("", home, name="home"),
    path("studies/<slug:slug>/", study, name="study"),
]
