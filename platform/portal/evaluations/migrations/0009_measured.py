"""What people who wait are told is read off indexes: the pace of a queue, a track's last score."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluations", "0008_prune_canaries")]

    operations = [
        migrations.AddIndex(
            model_name="evaluation",
            index=models.Index(
                condition=models.Q(("started_at__isnull", False), ("status", "SCORED")),
                fields=["queue", "-finished_at"],
                name="evaluation_pace",
            ),
        ),
        migrations.AddIndex(
            model_name="evaluation",
            index=models.Index(
                condition=models.Q(("started_at__isnull", False), ("status", "SCORED")),
                fields=["version", "-finished_at"],
                name="evaluation_last_scored",
            ),
        ),
    ]
