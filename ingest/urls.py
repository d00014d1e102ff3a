from django.urls import URLPattern, URLResolver, include, path

from ingest.views import (
    harvest_plans,
    harvest_records,
    harvest_selections,
    harvests,
    imports,
    issues,
    keyword_imports,
    keyword_lists,
    tokens,
)

of_harvest: list[URLPattern | URLResolver] = [
    path("", harvests.harvest, name="harvest"),
    path("start/", harvests.start_harvest, name="start_harvest"),
    path("pause/", harvests.pause_harvest, name="pause_harvest"),
    path("refresh/", harvests.refresh_harvest, name="refresh_harvest"),
    path("select/", harvest_selections.select_issues, name="select_issues"),
    path("terms.csv", harvest_selections.harvest_terms, name="harvest_terms"),
    path("flow.<slug:form>", harvest_records.harvest_flow, name="harvest_flow"),
    path("numbers.csv", harvest_records.harvest_numbers, name="harvest_numbers"),
    path("pages/", harvest_records.harvest_pages, name="harvest_pages"),
    path("pages.csv", harvest_records.harvest_pages_csv, name="harvest_pages_csv"),
    path("issues/", harvest_records.harvested_issues, name="harvested_issues"),
]

of_study: list[URLPattern | URLResolver] = [
    path("issues/", issues.issues, name="issues"),
    path("issues/<int:issue_id>/", issues.issue, name="issue"),
    path("keywords/", keyword_lists.keywords, name="keywords"),
    path("keywords/new/", keyword_lists.new_keyword_list, name="new_keyword_list"),
    path("keywords/import/", keyword_imports.import_keyword_lists, name="import_keyword_lists"),
    path("keywords/<int:list_id>/", keyword_lists.keyword_list, name="keyword_list"),
    path("keywords/<int:list_id>/edit/", keyword_lists.edit_keyword_list, name="edit_keyword_list"),
    path("keywords/<int:list_id>/rename/", keyword_lists.rename_keyword_list, name="rename_keyword_list"),
    path("keywords/<int:list_id>/retire/", keyword_lists.retire_keyword_list, name="retire_keyword_list"),
    path(
        "keywords/<int:list_id>/bring-back/",
        keyword_lists.bring_back_keyword_list,
        name="bring_back_keyword_list",
    ),
    path(
        "keywords/<int:list_id>/versions/<int:number>/terms.txt",
        keyword_lists.terms_text,
        name="keyword_terms_text",
    ),
    path(
        "keywords/<int:list_id>/versions/<int:number>/terms.csv",
        keyword_lists.terms_csv,
        name="keyword_terms_csv",
    ),
    path("filters/", issues.save_filter, name="save_filter"),
    path("filters/<int:filter_id>/delete/", issues.delete_filter, name="delete_filter"),
    path("harvests/", harvests.harvests, name="harvests"),
    path("harvests/new/", harvest_plans.new_harvest, name="new_harvest"),
    path("harvests/tokens/", tokens.forge_tokens, name="forge_tokens"),
    path("harvests/tokens/add/", tokens.add_token, name="add_token"),
    path("harvests/tokens/<int:token_id>/remove/", tokens.remove_token, name="remove_token"),
    path("harvests/<int:harvest_id>/", include(of_harvest)),
    path("imports/", imports.imports, name="imports"),
    path("imports/new/", imports.new_import, name="new_import"),
    path("imports/<int:import_id>/", imports.import_, name="import"),
    path("imports/<int:import_id>/confirm/", imports.confirm_import, name="confirm_import"),
    path("imports/<int:import_id>/discard/", imports.discard_import, name="discard_import"),
    path("imports/<int:import_id>/rows.csv", imports.import_rows, name="import_rows"),
]
urlpatterns: list[URLResolver] = [path("studies/<str:slug>/", include(of_study))]
