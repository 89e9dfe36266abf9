"""The portal remembers: who, what, when, which version. It computes no metric."""
