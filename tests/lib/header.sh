#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The public header compiles on its own in every C and C++ standard that it promises. The library
# exports exactly the functions that the header declares, and every name that either of them adds to
# a user's program begins with etalon_ or ETALON_. Usage: header.sh INCLUDE_DIR LIBETALON_SO
set -u
export LC_ALL=C
include=$1 library=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/etalon-header.XXXXXX")
trap 'rm -rf "$work"' EXIT
n=0 failed=0

result()
{
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		failed=1
	fi
	return "$1"
}

skip()
{
	n=$((n + 1))
	echo "ok $n # SKIP $1"
}

try()
{
	local compiler=$1 language=$2 standard=$3

	if ! command -v "$compiler" >/dev/null; then
		skip "no $compiler"
		return
	fi
	echo '#include <etalon/etalon.h>' |
		"$compiler" -x "$language" -std="$standard" -pedantic -Wall -Wextra -Werror \
			-fsyntax-only -I "$include" -
	result $? "$compiler -std=$standard compiles the header"
	printf '%s\n' '#include <etalon/etalon.h>' \
		'static void f(void *arg) { ETALON_KEEP(arg); ETALON_KEEP(1.5); ETALON_HIDE(arg); ETALON_CLOBBER(); }' \
		'ETALON_MAIN(ETALON_BENCH(f), ETALON_BENCH_ARG("g", f, 0))' |
		"$compiler" -x "$language" -std="$standard" -pedantic -Wall -Wextra -Werror -O1 \
			-c -o /dev/null -I "$include" -
	result $? "$compiler -std=$standard compiles a program that uses the macros"
}

for standard in c99 c11 c17; do
	try gcc c $standard
	try clang c $standard
done
for standard in c++11 c++14 c++17 c++20; do
	try g++ c++ $standard
	try clang++ c++ $standard
done

# Names of all symbols that a shared object exports, without their version; the version itself (type
# A) is no symbol that a program could clash with.
exported()
{
	nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort
}

# Names that a header defines: macros, tags, enumerators and functions. System headers are replaced
# by empty ones, so that only the header's own names remain.
defined()
{
	mkdir -p "$work/empty"
	: >"$work/empty/stddef.h"
	: >"$work/empty/stdint.h"
	: >"$work/empty/none.h"
	gcc -E -P -nostdinc -I "$work/empty" -x c "$1" >"$work/plain"
	gcc -E -dM -nostdinc -x c "$work/empty/none.h" | sort >"$work/builtin"
	{
		gcc -E -dM -nostdinc -I "$work/empty" -x c "$1" | sort | comm -13 "$work/builtin" - |
			sed -E 's/^#define (\w+).*/\1/'
		grep -oE '\b(struct|enum|union) \w+' "$work/plain" | sed 's/.* //'
		grep -oE '\b[A-Z][A-Z0-9_]+\b' "$work/plain"
		grep -oE '\b[a-z]\w*\(' "$work/plain" | sed 's/(//' | grep -vx 'visibility'
	} | sort -u
}

foreign() { grep -vE '^(etalon_|ETALON_)'; }

# A shared object and a header with one foreign name of each kind, to prove that the checks below
# would find one.
echo 'int et_stray; void et_other(void); void et_other(void) {}' >"$work/stray.c"
printf '%s\n' '#include <stdint.h>' '#define ET_MACRO 1' 'struct et_tag { uint64_t a; };' \
	'enum etalon_e { ET_FIRST = 1, ETALON_SECOND };' 'int et_call(void);' >"$work/stray.h"

if command -v nm >/dev/null; then
	gcc -shared -fPIC -o "$work/stray.so" "$work/stray.c"
	found=$(exported "$work/stray.so" | foreign | tr '\n' ' ')
	[ "$found" = 'et_other et_stray ' ]
	result $? 'the check of exported names finds a foreign function and a foreign variable' ||
		echo "# found: $found"

	found=$(exported "$library" | foreign)
	[ -z "$found" ]
	result $? 'libetalon exports names that begin with etalon_ only' ||
		echo "# foreign: ${found//$'\n'/ }"

	# Preprocessed, because some functions are inline on some processors.
	declared=$(gcc -E -P -I "$include" -x c "$include/etalon/etalon.h" |
		sed -n 's/.*visibility("default")))[^(]*[ *]\(\w*\)(.*/\1/p' | sort)
	[ "$(exported "$library")" = "$declared" ]
	result $? 'libetalon exports exactly the functions that the header declares' ||
		printf '# exported: %s\n# declared: %s\n' "$(exported "$library" | tr '\n' ' ')" \
			"${declared//$'\n'/ }"
else
	skip 'no nm'
fi

found=$(defined "$work/stray.h" | foreign | tr '\n' ' ')
[ "$found" = 'ET_FIRST ET_MACRO et_call et_tag ' ]
result $? 'the check of header names finds a foreign macro, tag, enumerator and function' ||
	echo "# found: $found"
found=$(defined "$include/etalon/etalon.h" | foreign)
[ -z "$found" ]
result $? 'the header defines names that begin with etalon_ or ETALON_ only' ||
	echo "# foreign: ${found//$'\n'/ }"
[ "$(defined "$include/etalon/etalon.h" | grep -c .)" -gt 40 ]
result $? 'the check of header names sees the names of the header'
echo "1..$n"
exit $failed
