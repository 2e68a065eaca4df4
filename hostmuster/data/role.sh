#!/bin/sh
# Makes the database and the role that owns it, named $1, and gives the role the password of the unit's credential.
# psql hashes that by itself and sends the hash alone, so that no log of the server's can show it; it reads it from
# standard input, twice, as it does where there is no terminal.
set -eu
umask 077
cd /

psql -X -q -v ON_ERROR_STOP=1 -v name="$1" -d postgres <<'SQL'
SELECT format('CREATE ROLE %I LOGIN', :'name')
    WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'name') \gexec
SELECT format('CREATE DATABASE %I OWNER %I', :'name', :'name')
    WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'name') \gexec
SQL

password=$(cat "$CREDENTIALS_DIRECTORY/password")
[ -n "$password" ] || { echo "the credential is empty" >&2; exit 1; }
# printf is the shell's own: no process has it in its arguments.
printf '%s\n' "$password" "$password" | psql -X -q -d postgres -c "\\password $1"
