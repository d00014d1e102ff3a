-- Keys of several columns, which Django does not know.

-- What is labelled twice, and what a model labels, belongs to an issue and to a volunteer of its round.

ALTER TABLE annotate_repeat ADD CONSTRAINT repeat_is_of_an_issue_of_its_round
    FOREIGN KEY (round_id, issue_id) REFERENCES rounds_roundissue (round_id, issue_id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE annotate_repeat ADD CONSTRAINT repeat_is_by_a_volunteer_of_its_round
    FOREIGN KEY (round_id, volunteer_id) REFERENCES rounds_roundvolunteer (round_id, member_id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE annotate_modellabel ADD CONSTRAINT model_label_is_on_an_issue_of_its_round
    FOREIGN KEY (round_id, issue_id) REFERENCES rounds_roundissue (round_id, issue_id) DEFERRABLE INITIALLY DEFERRED;
