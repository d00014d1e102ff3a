from django.urls import URLPattern, URLResolver, include, path

from ingest.views import imports, issues, keyword_imports, keyword_lists, removal, similar, waiting

of_study: list[URLPattern | URLResolver] = [
    path("issues/", issues.issues, name="issues"),
    path("issues/<int:issue_id>/", issues.issue, name="issue"),
    path("issues/<int:issue_id>/remove/", removal.remove_issue, name="remove_issue"),
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
    path("similar/", similar.groups, name="similar"),
    path("similar/<int:issue_id>/", similar.group, name="similar_group"),
    path("similar/<int:issue_id>/mark/", similar.mark_group, name="mark_similar_group"),
    path("similar/mark/", similar.mark_pair, name="mark_similar"),
    path("similar/find/", similar.find_similar, name="find_similar"),
    path("similar/pairs.csv", similar.similar_csv, name="similar_csv"),
    path("filters/", issues.save_filter, name="save_filter"),
    path("filters/<int:filter_id>/delete/", issues.delete_filter, name="delete_filter"),
    path("imports/", imports.imports, name="imports"),
    path("imports/new/", imports.new_import, name="new_import"),
    path("imports/waiting/", waiting.waiting_imports, name="waiting_imports"),
    path("imports/waiting/confirm/", waiting.confirm_imports, name="confirm_imports"),
    path("imports/<int:import_id>/", imports.import_, name="import"),
    path("imports/<int:import_id>/read/", imports.read_import_again, name="read_import_again"),
    path("imports/<int:import_id>/confirm/", imports.confirm_import, name="confirm_import"),
    path("imports/<int:import_id>/discard/", imports.discard_import, name="discard_import"),
    path("imports/<int:import_id>/take-back/", removal.take_back_import, name="take_back_import"),
    path("imports/<int:import_id>/rows.csv", imports.import_rows, name="import_rows"),
]
urlpatterns: list[URLResolver] = [path("studies/<str:slug>/", include(of_study))]
