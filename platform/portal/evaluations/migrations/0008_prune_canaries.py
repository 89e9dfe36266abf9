"""Old canaries may go, though the site's role may delete no submission and no score.

A function of the tables' owner does it, and knows canaries only: final ones, older than a day
at least, neither a track's latest nor the first that an evaluator version scored on it.
"""

from django.db import migrations

FORWARD = """
CREATE FUNCTION plumbline_prune_canaries(age interval) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    n_removed integer;
BEGIN
    WITH canary AS (
        SELECT id, track_id, file_digest, created_at FROM submissions_submission
        WHERE source = 'CANARY'
    ), latest AS (
        SELECT DISTINCT ON (track_id) id FROM canary ORDER BY track_id, created_at DESC
    ), first_scored AS (
        SELECT DISTINCT ON (canary.track_id, evaluator_version, file_digest) canary.id
        FROM canary JOIN evaluations_evaluation ON submission_id = canary.id
        WHERE status = 'SCORED'
        ORDER BY canary.track_id, evaluator_version, file_digest, canary.created_at
    ), old AS (
        SELECT id FROM canary
        WHERE created_at < clock_timestamp() - greatest(age, interval '1 day')
          AND id NOT IN (SELECT id FROM latest) AND id NOT IN (SELECT id FROM first_scored)
          AND NOT EXISTS (
              SELECT 1 FROM evaluations_evaluation
              WHERE submission_id = canary.id AND status IN ('QUEUED', 'RUNNING')
          )
        ORDER BY created_at LIMIT 1000
    ), scores AS (
        DELETE FROM evaluations_score USING evaluations_evaluation
        WHERE evaluation_id = evaluations_evaluation.id AND submission_id IN (SELECT id FROM old)
    ), evaluations AS (
        DELETE FROM evaluations_evaluation WHERE submission_id IN (SELECT id FROM old)
    ), gone AS (
        DELETE FROM submissions_submission WHERE id IN (SELECT id FROM old) RETURNING id
    )
    SELECT count(*) INTO n_removed FROM gone;
    RETURN n_removed;
END $$;
"""

BACKWARD = "DROP FUNCTION plumbline_prune_canaries(interval);"


class Migration(migrations.Migration):
    dependencies = [("evaluations", "0007_alike"), ("submissions", "0003_canary")]

    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
