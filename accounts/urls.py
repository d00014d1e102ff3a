"""Addresses of accounts. Of django-allauth's pages only the ones listed here exist."""

from allauth.account import views as allauth_views
from django.urls import URLPattern, path, re_path

from accounts import views

urlpatterns: list[URLPattern] = [
    path("welcome/", views.welcome, name="welcome"),
    path("accounts/link/<slug:token>/", views.sign_in_link, name="sign_in_link"),
    path("language/", views.choose_language, name="choose_language"),
    path("accounts/me/", views.me, name="me"),
    path("accounts/me/address/", views.change_address, name="change_address"),
    path("accounts/me/time-zone/", views.choose_time_zone, name="choose_time_zone"),
    path("accounts/address/<slug:token>/", views.confirm_address, name="confirm_address"),
    path("accounts/me/tokens/", views.make_token, name="make_token"),
    path("accounts/me/tokens/<slug:token_key>/revoke/", views.revoke_token, name="revoke_token"),
    path("accounts/login/", views.SignIn.as_view(), name="account_login"),
    path("accounts/logout/", allauth_views.logout, name="account_logout"),
    path("accounts/inactive/", allauth_views.account_inactive, name="account_inactive"),
    path("accounts/signup/", views.no_sign_up, name="account_signup"),
    path("accounts/password/change/", allauth_views.password_change, name="account_change_password"),
    path("accounts/password/set/", allauth_views.password_set, name="account_set_password"),
    path("accounts/password/reset/", views.PasswordReset.as_view(), name="account_reset_password"),
    path(
        "accounts/password/reset/done/", allauth_views.password_reset_done, name="account_reset_password_done"
    ),
    re_path(
        r"^accounts/password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        allauth_views.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path(
        "accounts/password/reset/key/done/",
        allauth_views.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
]
