"""The one script that runs on a host, and the format of its questions and answers."""
