"""The scenarios of the specification by their numbers, from the files that tell them."""

import scenarios_first  # noqa: F401
import scenarios_update  # noqa: F401
import scenarios_rollback  # noqa: F401
import scenarios_files  # noqa: F401
from scenario import SCENARIOS  # noqa: F401

# Those that the specification wants cut at every change.
CUT_SCENARIOS = ["1", "5", "9", "11", "15", "16", "21", "23", "25", "26", "28"]
