from django.urls import URLPattern, URLResolver, include, path

from harvests.views import comparisons, harvests, plans, records, selections, tokens

of_harvest: list[URLPattern | URLResolver] = [
    path("", harvests.harvest, name="harvest"),
    path("start/", harvests.start_harvest, name="start_harvest"),
    path("pause/", harvests.pause_harvest, name="pause_harvest"),
    path("refresh/", harvests.refresh_harvest, name="refresh_harvest"),
    path("select/", selections.select_issues, name="select_issues"),
    path("terms.csv", selections.harvest_terms, name="harvest_terms"),
    path("flow.<slug:form>", records.harvest_flow, name="harvest_flow"),
    path("numbers.csv", records.harvest_numbers, name="harvest_numbers"),
    path("compared/", comparisons.compared_harvests, name="compared_harvests"),
    path("compared.csv", comparisons.compared_harvests_csv, name="compared_harvests_csv"),
    path("pages/", records.harvest_pages, name="harvest_pages"),
    path("pages.csv", records.harvest_pages_csv, name="harvest_pages_csv"),
    path("issues/", records.harvested_issues, name="harvested_issues"),
    path("issues/keep/", records.keep_issues, name="keep_issues"),
    path("issues/take-back/", records.take_back_issues, name="take_back_issues"),
]

of_study: list[URLPattern | URLResolver] = [
    path("harvests/", harvests.harvests, name="harvests"),
    path("harvests/new/", plans.new_harvest, name="new_harvest"),
    path("harvests/resolve/", harvests.resolve_listed, name="resolve_listed"),
    path("harvests/tokens/", tokens.forge_tokens, name="forge_tokens"),
    path("harvests/tokens/add/", tokens.add_token, name="add_token"),
    path("harvests/tokens/<int:token_id>/remove/", tokens.remove_token, name="remove_token"),
    path("harvests/<int:harvest_id>/", include(of_harvest)),
]
urlpatterns: list[URLResolver] = [path("studies/<str:slug>/", include(of_study))]
