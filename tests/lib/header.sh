#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The public header compiles alone in every C and C++ it promises; the library exports only what
# the header declares. Usage: header.sh INCLUDE_DIR LIBETALON_SO
set -u
include=$1 library=$2
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
}

try()
{
	local compiler=$1 language=$2 standard=$3

	if ! command -v "$compiler" >/dev/null; then
		n=$((n + 1))
		echo "ok $n # SKIP no $compiler"
		return
	fi
	echo '#include <etalon/etalon.h>' |
		"$compiler" -x "$language" -std="$standard" -pedantic -Wall -Wextra -Werror \
			-fsyntax-only -I "$include" -
	result $? "$compiler -std=$standard takes the header"
	# The macros, too, in the same words.
	printf '%s\n' '#include <etalon/etalon.h>' \
		'static void f(void *arg) { ETALON_KEEP(arg); ETALON_KEEP(1.5); ETALON_CLOBBER(); }' \
		'ETALON_MAIN(ETALON_BENCH(f), ETALON_BENCH_ARG("g", f, 0))' |
		"$compiler" -x "$language" -std="$standard" -pedantic -Wall -Wextra -Werror -O1 \
			-c -o /dev/null -I "$include" -
	result $? "$compiler -std=$standard takes its macros"
}

for standard in c99 c11 c17; do
	try gcc c $standard
	try clang c $standard
done
for standard in c++11 c++14 c++17 c++20; do
	try g++ c++ $standard
	try clang++ c++ $standard
done

if command -v nm >/dev/null; then
	exported=$(nm -D --defined-only "$library" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort)
	# As the preprocessor leaves it: some functions are inline on some processors.
	declared=$(gcc -E -P -I "$include" -x c "$include/etalon/etalon.h" |
		sed -n 's/.*visibility("default"))).*[ *]\(et_[a-z_]*\)(.*/\1/p' | sort)
	[ "$exported" = "$declared" ]
	result $? "exports what the header declares and nothing else" ||
		printf '# exported: %s\n# declared: %s\n' "${exported//$'\n'/ }" "${declared//$'\n'/ }"
else
	n=$((n + 1))
	echo "ok $n # SKIP no nm"
fi
echo "1..$n"
exit $failed
