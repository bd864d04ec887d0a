"""From a symptom, or from the log alone, to its likely causes: the checklist as data, and what in a log speaks for each line of it.

May import: what `holter.analysis` may.
"""

from holter.analysis.diagnose.checklist import CHECKLIST
from holter.analysis.diagnose.diagnosis import Diagnosis, Evidence, asked_for, diagnose

__all__ = ["CHECKLIST", "Diagnosis", "Evidence", "asked_for", "diagnose"]
