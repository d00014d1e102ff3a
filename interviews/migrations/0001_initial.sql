-- Keys of several columns, which Django does not know: what belongs to a study, a transcript or a coding, stays
-- within it.

ALTER TABLE interviews_participant ADD CONSTRAINT participant_is_in_an_audience_of_their_study
    FOREIGN KEY (audience_id, study_id) REFERENCES interviews_audience (id, study_id)
    DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE interviews_session ADD CONSTRAINT session_is_of_a_participant_of_its_study
    FOREIGN KEY (participant_id, study_id) REFERENCES interviews_participant (id, study_id)
    DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE interviews_quote ADD CONSTRAINT quote_is_of_a_coder_of_its_coding
    FOREIGN KEY (coder_id, coding_id) REFERENCES interviews_coder (id, coding_id)
    DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE interviews_quote ADD CONSTRAINT quote_is_in_a_turn_of_its_transcript
    FOREIGN KEY (turn_id, transcript_id) REFERENCES interviews_turn (id, transcript_id)
    DEFERRABLE INITIALLY DEFERRED;
