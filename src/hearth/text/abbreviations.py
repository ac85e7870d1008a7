"""Words whose full stop ends no sentence."""

from __future__ import annotations

ABBREVIATIONS = r"Prof|Dr|Mr|Mrs|Ms|St|Nr|No|Sr|Sra|Mme|vs|etc|approx|bzw|ca|e\.g|i\.e|z\.B|d\.h"
"""As alternatives of a pattern."""
