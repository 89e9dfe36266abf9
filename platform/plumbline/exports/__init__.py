"""A track written as a task of an evaluation harness: questions and prompts, never answers."""

from plumbline.exports import lmms_eval, vlmevalkit

WRITERS = {"lmms-eval": lmms_eval.files, "vlmevalkit": vlmevalkit.files}

__all__ = ["WRITERS"]
