"""What an opened version holds is fixed by the database as well."""

from django.db import migrations

FORWARD = """
CREATE FUNCTION plumbline_opened_version_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state NOT IN ('OPEN', 'CLOSED') THEN
        RETURN COALESCE(NEW, OLD);
    END IF;
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'an opened version is never deleted' USING ERRCODE = 'check_violation';
    END IF;
    IF (NEW.benchmark_id, NEW.version, NEW.definition, NEW.questions_digest, NEW.truth_digest,
        NEW.n_questions, NEW.is_reference_only, NEW.opened_at)
       IS DISTINCT FROM
       (OLD.benchmark_id, OLD.version, OLD.definition, OLD.questions_digest, OLD.truth_digest,
        OLD.n_questions, OLD.is_reference_only, OLD.opened_at)
       OR NEW.state NOT IN ('OPEN', 'CLOSED')
       OR (OLD.state = 'CLOSED' AND NEW.state <> 'CLOSED')
    THEN
        RAISE EXCEPTION 'an opened version never changes; a correction is a new version'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER opened_version_stays BEFORE UPDATE OR DELETE ON benchmarks_benchmarkversion
    FOR EACH ROW EXECUTE FUNCTION plumbline_opened_version_stays();

CREATE FUNCTION plumbline_opened_track_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM benchmarks_benchmarkversion
        WHERE state IN ('OPEN', 'CLOSED')
          AND (TG_OP <> 'INSERT' AND id = OLD.version_id
               OR TG_OP <> 'DELETE' AND id = NEW.version_id)
    ) THEN
        RAISE EXCEPTION 'the tracks of an opened version never change'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN COALESCE(NEW, OLD);
END $$;

CREATE TRIGGER opened_track_stays BEFORE INSERT OR UPDATE OR DELETE ON benchmarks_track
    FOR EACH ROW EXECUTE FUNCTION plumbline_opened_track_stays();
"""

BACKWARD = """
DROP TRIGGER opened_track_stays ON benchmarks_track;
DROP FUNCTION plumbline_opened_track_stays();
DROP TRIGGER opened_version_stays ON benchmarks_benchmarkversion;
DROP FUNCTION plumbline_opened_version_stays();
"""


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0001_first")]

    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
