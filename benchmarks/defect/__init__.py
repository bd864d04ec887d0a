"""Defects that are put into clean runs, one for each rule: into messages, into documents, into what happened."""
