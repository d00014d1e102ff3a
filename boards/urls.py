from django.urls import URLPattern, path

from boards.views import acts, boards

urlpatterns: list[URLPattern] = [
    path("taxonomies/<int:taxonomy_id>/boards/", boards.boards, name="boards"),
    path("taxonomies/<int:taxonomy_id>/boards/new/", boards.new_board, name="new_board"),
    path("boards/<int:board_id>/", boards.board, name="board"),
    path("boards/<int:board_id>/piles/", boards.board_piles, name="board_piles"),
    path("boards/<int:board_id>/agreement/", boards.board_agreement, name="board_agreement"),
    path("boards/<int:board_id>/state/", acts.board_state, name="board_state"),
    path("boards/<int:board_id>/acts/", acts.act_on_board, name="act_on_board"),
    path("boards/<int:board_id>/mapping.csv", acts.board_mapping, name="board_mapping"),
]
