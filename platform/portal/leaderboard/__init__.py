"""What is shown: disclosure, boards, comparisons, and their stored documents."""
