"""A small project's deploys, for the tests of plain pyinfra; every file body in it holds MARKER-body-4711."""
