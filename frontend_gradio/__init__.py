"""The public board: Gradio pages that read the portal's API as any script may.

It holds no identity, no database and no key, and it computes no number: every
figure that it prints is a string that the API disclosed.
"""
