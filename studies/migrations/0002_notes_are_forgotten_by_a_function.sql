-- The application's role may add lines to the audit, and change none (docs/decisions/0052). This function runs as
-- the owner of the tables, blanks the note of one accepted invitation in the lines that have it, and nothing else.
CREATE FUNCTION forget_invitation_note(invitation bigint) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    forgotten bigint;
BEGIN
    PERFORM set_config('crosscheck.door', 'forget_invitation_note', true);
    UPDATE public.studies_event e SET detail = e.detail || '{"note": ""}'::jsonb
    FROM public.studies_invitation i
    WHERE i.id = invitation AND i.accepted_by_id IS NOT NULL AND i.note <> '' AND e.study_id = i.study_id
        AND e.verb IN ('people.invited', 'people.invitation_revoked') AND e.detail ->> 'note' = i.note;
    GET DIAGNOSTICS forgotten = ROW_COUNT;
    PERFORM set_config('crosscheck.door', '', true);
    RETURN forgotten;
END;
$$;
REVOKE ALL ON FUNCTION forget_invitation_note(bigint) FROM PUBLIC;
