"""What briefs read of a session: its turns and tool calls by role and tool, when it was, its summaries."""

STATEMENTS = """
CREATE INDEX episode_session_role ON episode (session, role, tool_name, seq);
CREATE INDEX episode_session_time ON episode (session, occurred_at);
CREATE INDEX episode_summary ON episode (session, seq) WHERE channel = 'summary';
"""
