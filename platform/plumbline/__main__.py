"""`python -m plumbline`, where the script is not on the path."""

import sys

from plumbline.cli import main

sys.exit(main())
