-- What Django cannot say about the tables of this room: keys of several columns, and a function.

-- What is decided, and what belongs to a meeting, belongs to its round, its agenda and its people.

ALTER TABLE consensus_decision ADD CONSTRAINT decision_is_on_an_issue_of_its_round
    FOREIGN KEY (round_id, issue_id) REFERENCES rounds_roundissue (round_id, issue_id);

ALTER TABLE consensus_comment ADD CONSTRAINT comment_is_on_an_issue_of_its_round
    FOREIGN KEY (round_id, issue_id) REFERENCES rounds_roundissue (round_id, issue_id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE consensus_disagreement ADD CONSTRAINT disagreement_is_of_an_issue_of_its_round
    FOREIGN KEY (round_id, issue_id) REFERENCES rounds_roundissue (round_id, issue_id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE consensus_agendaitem ADD CONSTRAINT item_is_of_an_issue_of_its_round
    FOREIGN KEY (round_id, issue_id) REFERENCES rounds_roundissue (round_id, issue_id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE consensus_agendaitem ADD CONSTRAINT item_is_of_the_round_of_its_meeting
    FOREIGN KEY (meeting_id, round_id) REFERENCES consensus_meeting (id, round_id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE consensus_vote ADD CONSTRAINT vote_is_on_its_agenda
    FOREIGN KEY (item_id, meeting_id) REFERENCES consensus_agendaitem (id, meeting_id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE consensus_spell ADD CONSTRAINT spell_is_on_its_agenda
    FOREIGN KEY (item_id, meeting_id) REFERENCES consensus_agendaitem (id, meeting_id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE consensus_ballot ADD CONSTRAINT ballot_is_of_its_meeting
    FOREIGN KEY (vote_id, meeting_id) REFERENCES consensus_vote (id, meeting_id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE consensus_ballot ADD CONSTRAINT ballot_is_of_somebody_who_takes_part
    FOREIGN KEY (meeting_id, member_id) REFERENCES consensus_participant (meeting_id, member_id) DEFERRABLE INITIALLY DEFERRED;

-- The category of the decision that stands for one issue, in the version of its round; 0 for none.

CREATE FUNCTION consensus_decided(of_round bigint, of_issue bigint) RETURNS bigint
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    RETURN coalesce((
        SELECT CASE WHEN g.id IS NULL THEN d.category_id ELSE g.became_id END
        FROM consensus_decision d
        JOIN rounds_round r ON r.id = d.round_id
        LEFT JOIN taxonomy_gone g ON g.version_id = r.version_id AND g.category_id = d.category_id
          AND d.version_id < g.since_id AND d.version_id >= coalesce(g.after_id, 0)
        WHERE d.round_id = of_round AND d.issue_id = of_issue AND d.superseded_at IS NULL
    ), 0);
END;
$$;
