-- The last owner of a study stays its owner, whatever happens at the same time.

CREATE FUNCTION studies_last_owner_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Writes the study's row, not only locks it: of two transactions that each take an owner away, the second
    -- waits here for the first, and then sees what it did, or fails to serialize where it may not see it.
    UPDATE studies_study SET name = name WHERE id = OLD.study_id;
    IF NOT FOUND THEN
        RETURN NULL;  -- the study itself was deleted
    END IF;
    PERFORM 1 FROM studies_membership
     WHERE study_id = OLD.study_id AND role = 'owner' AND left_at IS NULL AND user_id IS NOT NULL;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'study % would be left without an owner', OLD.study_id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'last_owner_stays',
                  TABLE = 'studies_membership';
    END IF;
    RETURN NULL;
END $$;

-- Deferred to the end of the transaction: ownership may be handed over in any order.
CREATE CONSTRAINT TRIGGER last_owner_stays
    AFTER UPDATE OF role, left_at, user_id, study_id OR DELETE ON studies_membership
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW
    WHEN (OLD.role = 'owner' AND OLD.left_at IS NULL AND OLD.user_id IS NOT NULL)
    EXECUTE FUNCTION studies_last_owner_stays();
