from django.urls import URLPattern, path

from taxonomy import file_views, views

urlpatterns: list[URLPattern] = [
    path("studies/<str:slug>/taxonomies/", views.taxonomies, name="taxonomies"),
    path("studies/<str:slug>/taxonomies/new/", views.new_taxonomy, name="new_taxonomy"),
    path("taxonomies/<int:taxonomy_id>/", views.taxonomy, name="taxonomy"),
    path("taxonomies/<int:taxonomy_id>/taxonomy.csv", file_views.taxonomy_csv, name="taxonomy_csv"),
    path("taxonomies/<int:taxonomy_id>/codebook.<slug:form>", file_views.taxonomy_file, name="taxonomy_file"),
]
