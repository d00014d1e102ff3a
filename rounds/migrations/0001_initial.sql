-- What Django cannot say about the tables of this room: keys of several columns, views and a function.

-- A slot and a label belong to an issue and to a volunteer of their round.

ALTER TABLE rounds_assignment ADD CONSTRAINT slot_can_be_referred_to UNIQUE (id, round_id, issue_id, volunteer_id);

ALTER TABLE rounds_assignment ADD CONSTRAINT slot_is_of_an_issue_of_its_round
    FOREIGN KEY (round_id, issue_id) REFERENCES rounds_roundissue (round_id, issue_id);

ALTER TABLE rounds_assignment ADD CONSTRAINT slot_is_held_by_a_volunteer_of_its_round
    FOREIGN KEY (round_id, volunteer_id) REFERENCES rounds_roundvolunteer (round_id, member_id);

ALTER TABLE rounds_label ADD CONSTRAINT label_fills_the_slot_of_its_author
    FOREIGN KEY (assignment_id, round_id, issue_id, volunteer_id) REFERENCES rounds_assignment (id, round_id, issue_id, volunteer_id);

ALTER TABLE rounds_label ADD CONSTRAINT label_is_of_an_issue_of_its_round
    FOREIGN KEY (round_id, issue_id) REFERENCES rounds_roundissue (round_id, issue_id);

ALTER TABLE rounds_label ADD CONSTRAINT label_is_by_a_volunteer_of_its_round
    FOREIGN KEY (round_id, volunteer_id) REFERENCES rounds_roundvolunteer (round_id, member_id);

ALTER TABLE rounds_answer ADD CONSTRAINT answer_is_on_an_issue_of_its_round
    FOREIGN KEY (round_id, issue_id) REFERENCES rounds_roundissue (round_id, issue_id) DEFERRABLE INITIALLY DEFERRED;

-- What each label that counts says in the version that its round labels with now: the category that was given, or
-- what this category became as a whole; where it was split or retired, or the label is open, the author's latest
-- second look says it; nothing without one.

CREATE VIEW rounds_said AS
SELECT l.id, l.round_id, l.issue_id, l.volunteer_id, l.assignment_id, coalesce(look.id, l.id) AS label_id,
       CASE WHEN look.id IS NOT NULL THEN look.category_id
            WHEN g.id IS NULL THEN l.category_id ELSE g.became_id END AS category_id
FROM rounds_label l
JOIN rounds_round r ON r.id = l.round_id
LEFT JOIN taxonomy_gone g ON g.version_id = r.version_id AND g.category_id = l.category_id
  AND l.version_id < g.since_id AND l.version_id >= coalesce(g.after_id, 0)
LEFT JOIN LATERAL (
    SELECT k.id, CASE WHEN h.id IS NULL THEN k.category_id ELSE h.became_id END AS category_id
    FROM rounds_round looks
    -- + 0: found by round and issue. While statistics do not know the volunteer, PostgreSQL would as soon
    -- read all of their labels.
    JOIN rounds_label k
      ON k.round_id = looks.id AND k.issue_id = l.issue_id AND k.volunteer_id + 0 = l.volunteer_id
    LEFT JOIN taxonomy_gone h ON h.version_id = r.version_id AND h.category_id = k.category_id
      AND k.version_id < h.since_id AND k.version_id >= coalesce(h.after_id, 0)
    WHERE (l.category_id IS NULL OR (g.id IS NOT NULL AND g.became_id IS NULL))
      AND looks.of_id = r.id AND NOT k.surplus
    ORDER BY looks.id DESC LIMIT 1
) look ON true
WHERE NOT l.surplus;

-- One row per label that counts, of the issues that were in a second look after their reveal: `label_id` is the
-- label that its author had given when the labels were revealed; `category_id` what it counts as in the version
-- of the round. If its category was split or retired since, `gone_id` is the row of Gone.

CREATE VIEW rounds_first AS
SELECT l.id, l.round_id, l.issue_id, l.volunteer_id, l.assignment_id, f.id AS label_id,
       CASE WHEN g.id IS NULL THEN f.category_id ELSE g.became_id END AS category_id,
       CASE WHEN g.became_id IS NULL THEN g.id END AS gone_id
FROM rounds_roundissue c
JOIN rounds_round r ON r.id = c.round_id
JOIN rounds_label l ON l.round_id = c.round_id AND l.issue_id = c.issue_id AND NOT l.surplus
CROSS JOIN LATERAL (
    SELECT k.id, k.category_id, k.version_id
    FROM rounds_round looks
    -- + 0: found by round and issue, as in rounds_said.
    JOIN rounds_label k
      ON k.round_id = looks.id AND k.issue_id = l.issue_id AND k.volunteer_id + 0 = l.volunteer_id
    WHERE (looks.id = r.id OR looks.of_id = r.id AND k.submitted_at <= c.first_revealed_at)
      AND NOT k.surplus
    ORDER BY looks.id DESC LIMIT 1
) f
LEFT JOIN taxonomy_gone g ON g.version_id = r.version_id AND g.category_id = f.category_id
  AND f.version_id < g.since_id AND f.version_id >= coalesce(g.after_id, 0)
WHERE c.first_revealed_at IS NOT NULL;

-- The labels of one issue, and their volunteers, as RoundIssue keeps them.
-- Planned each time, and with little to plan: nearly all labels say what they were given as.

CREATE FUNCTION rounds_labels_said(of_round bigint, of_issue bigint, OUT labels text, OUT whose text)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    version bigint := (SELECT r.version_id FROM rounds_round r WHERE r.id = of_round);
    is_as_given boolean;
BEGIN
    SELECT coalesce(string_agg(l.category_id::text, ' ' ORDER BY l.volunteer_id), ''),
           coalesce(string_agg(l.volunteer_id::text, ' ' ORDER BY l.volunteer_id), ''),
           coalesce(bool_and(l.category_id IS NOT NULL AND l.version_id = version), true)
    INTO labels, whose, is_as_given
    FROM rounds_label l WHERE l.round_id = of_round AND l.issue_id = of_issue AND NOT l.surplus;
    -- A label is open, or was given in an earlier version than the round labels with now.
    IF NOT is_as_given THEN
        SELECT string_agg(coalesce(l.category_id, 0)::text, ' ' ORDER BY l.volunteer_id) INTO labels
        FROM rounds_said l WHERE l.round_id = of_round AND l.issue_id = of_issue;
    END IF;
END;
$$;
