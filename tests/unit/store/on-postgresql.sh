#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs tests of the store on a PostgreSQL server instead of a file, each in a database of its own, and
# joins their TAP. Usage: on-postgresql.sh PROGRAM TEST…
set -u
# shellcheck source=tests/postgres.sh
. "$(dirname "$0")/../../postgres.sh"
unset ETALON
[ "${ET_HAVE_LIBPQ:-1}" = 1 ] || { echo '1..0 # SKIP this build has no PostgreSQL store'; exit; }
pg_available || { echo "1..0 # SKIP $pg_why"; exit; }
pg_start || { echo 'Bail out! the server does not start'; exit 1; }

program=$1
shift
n=0
for name; do
	pg_create "$name"
	while IFS= read -r line; do
		if [[ $line =~ ^(not\ )?ok\ [0-9]+\ -\ (.*) ]]; then
			n=$((n + 1))
			echo "${BASH_REMATCH[1]}ok $n - $name: ${BASH_REMATCH[2]}"
		elif [[ ! $line =~ ^1\.\. ]]; then
			echo "$line"
		fi
	done < <(ET_TEST_STORE=$(pg_url "$name") "$program" "$name"; s=$?; [ $s -le 1 ] || echo "not ok 0 - ends with status $s")
done
echo "1..$n"
