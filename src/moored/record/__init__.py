"""The record: episodes, admitted once and kept verbatim."""
