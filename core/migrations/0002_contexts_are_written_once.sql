-- As django-pghistory declares it, but for ON CONFLICT DO NOTHING: a context that is there stays as it is.
CREATE OR REPLACE FUNCTION _pgh_attach_context() RETURNS pghistory_context.id%TYPE LANGUAGE plpgsql AS $$
DECLARE
    context_id uuid := nullif(current_setting('pghistory.context_id', true), '')::uuid;
    context_metadata jsonb := nullif(current_setting('pghistory.context_metadata', true), '')::jsonb;
BEGIN
    IF context_id IS NULL OR context_metadata IS NULL THEN
        RETURN NULL;
    END IF;
    INSERT INTO pghistory_context (id, metadata, created_at, updated_at)
        VALUES (context_id, context_metadata, now(), now()) ON CONFLICT (id) DO NOTHING;
    RETURN context_id;
END;
$$;
