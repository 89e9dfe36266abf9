"""The content of a submission never changes; only its visibility does."""

from django.db import migrations

FORWARD = """
CREATE FUNCTION plumbline_submission_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.system_id, NEW.track_id, NEW.team_id, NEW.source, NEW.file_digest, NEW.file_bytes,
        NEW.idempotency_key, NEW.created_at)
       IS DISTINCT FROM
       (OLD.system_id, OLD.track_id, OLD.team_id, OLD.source, OLD.file_digest, OLD.file_bytes,
        OLD.idempotency_key, OLD.created_at)
    THEN
        RAISE EXCEPTION 'the content of a submission never changes'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER submission_stays BEFORE UPDATE ON submissions_submission
    FOR EACH ROW EXECUTE FUNCTION plumbline_submission_stays();
"""

BACKWARD = """
DROP TRIGGER submission_stays ON submissions_submission;
DROP FUNCTION plumbline_submission_stays();
"""


class Migration(migrations.Migration):
    dependencies = [("submissions", "0001_first")]

    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
