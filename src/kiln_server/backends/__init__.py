"""Backends that need no model: one that plays scripts, one that replays recordings, and what they are made of.

They know nothing of the server but its port, `kiln_server.backend`.
"""
