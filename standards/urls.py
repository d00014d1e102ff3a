from django.urls import URLPattern, URLResolver, include, path

from standards.views import backgrounds, citing, items, texts

of_study: list[URLPattern | URLResolver] = [
    path("standards/", items.standards, name="standards"),
    path("standards/method/", texts.standards_method, name="standards_method"),
    path("standards/citation/", citing.citation, name="citation"),
    path("standards/background/", backgrounds.my_background, name="my_background"),
    path("standards/background/delete/", backgrounds.remove_background, name="remove_background"),
    path("standards/files/<str:name>", texts.standards_file, name="standards_file"),
    path("standards/sets/<slug:key>/checklist.<str:form>", texts.checklist_file, name="checklist_file"),
    path("standards/sets/<slug:key>/<str:number>/answer/", items.answer, name="answer_standard_item"),
    path("standards/sets/<slug:key>/<str:number>/undo/", items.undo, name="undo_standard_item"),
]
urlpatterns: list[URLPattern | URLResolver] = [path("studies/<str:slug>/", include(of_study))]
