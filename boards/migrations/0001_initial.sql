-- Keys of several columns, which Django does not know: card, pile and sorting are of one board.

ALTER TABLE boards_placement ADD CONSTRAINT placement_is_in_a_sorting_of_its_board
    FOREIGN KEY (sorting_id, board_id) REFERENCES boards_sorting (id, board_id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE boards_placement ADD CONSTRAINT placement_is_of_a_card_of_its_board
    FOREIGN KEY (card_id, board_id) REFERENCES boards_card (id, board_id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE boards_placement ADD CONSTRAINT placement_is_in_a_pile_of_its_sorting
    FOREIGN KEY (pile_id, sorting_id) REFERENCES boards_pile (id, sorting_id) DEFERRABLE INITIALLY DEFERRED;
