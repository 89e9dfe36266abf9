"""The worker acts: it scores, resamples, builds boards and keeps the queue moving."""
