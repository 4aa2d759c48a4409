#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program links with the installed libetalon, shared and static, by the flags of pkg-config. Neither
# library contains or needs a symbol of libRmath, which is under the GPL.
# Usage: link.sh SOURCE_ROOT BUILD_ROOT
# shellcheck disable=SC2317 # functions are called through ok
set -u
export LC_ALL=C
root=$1 build=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/etalon-link.XXXXXX")
trap 'rm -rf "$work"' EXIT
n=0 failed=0

ok()
{
	local what=$1
	shift
	n=$((n + 1))
	if "$@" >"$work/out" 2>&1; then
		echo "ok $n - $what"
	else
		echo "not ok $n - $what"
		sed 's/^/# /' "$work/out"
		failed=1
	fi
}

skip()
{
	n=$((n + 1))
	echo "ok $n # SKIP $1"
}

# --- symbols ---

# A sample of libRmath's names, of every kind that etalon uses.
rmath='pnorm5?|qnorm5?|pnorm_both|pt|qt|qf|pf|pnf|pchisq|qchisq|pbeta|qbeta|pbinom|qbinom|lchoose|ptukey|qtukey|[pq]signrank|[pq]wilcox|unif_rand|norm_rand|exp_rand|bratio|R_[A-Za-z_]*|Rf_[a-z_0-9]*'
of_rmath() { nm "$@" 2>/dev/null | awk 'NF > 1 { sub(/@.*/, "", $NF); print $NF }' | grep -xE "$rmath"; }
free_of_rmath() { ! of_rmath "$@"; }

if command -v nm >/dev/null; then
	echo 'double pnorm5(double, double, double, int, int); double f(double x) { return pnorm5(x, 0, 1, 1, 0); }' >"$work/r.c"
	gcc -c -o "$work/r.o" "$work/r.c"
	ok 'the check of symbols finds a call of libRmath' test "$(of_rmath "$work/r.o")" = pnorm5
	ok 'libetalon.a has no symbol of libRmath' free_of_rmath "$build/libetalon.a"
	ok 'libetalon.so has no symbol of libRmath' free_of_rmath "$build/libetalon.so"
	strangers=$(nm -g --defined-only "$build/libetalon.a" 2>/dev/null |
		awk 'NF == 3 && $3 !~ /^(et_|etalon_|__odr|__asan|__gcov|DW\.)/ { print $3 }')
	ok 'every global name in libetalon.a begins with et_ or etalon_' test -z "$strangers"
	needed=$(readelf -d "$build/libetalon.so" | sed -n 's/.*NEEDED.*\[\([a-z]*\).*/\1/p' |
		grep -vxE 'libjansson|libc|libm|libpthread|ld|libasan|libubsan|libtsan')
	ok 'libetalon.so needs no library but jansson and those of libc' test -z "$needed"
else
	skip 'no nm'
fi

# --- an installed tree ---

# Copies what the installation would copy, without an installation: that would replace the list of
# files that `make uninstall` removes.
install_tree()
{
	meson introspect --installed "$build" | python3 -c '
import json, os, shutil, sys
for src, dest in json.load(sys.stdin).items():
    if "libetalon" in src or "/include/" in src or src.endswith("etalon.pc"):
        to = sys.argv[1] + dest
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy2(os.path.join(sys.argv[2], src), to, follow_symlinks=False)
' "$work/root" "$build"
}
ok 'the files of libetalon can be installed' install_tree
header=$(find "$work/root" -name etalon.h)
static=$(find "$work/root" -name libetalon.a)
pc=$(find "$work/root" -name etalon.pc)
ok 'header, static library and pkg-config file are among them' test -n "$header" -a -n "$static" -a -n "$pc"
libdir=$(dirname "$static")

flags_of()
{
	PKG_CONFIG_PATH=$(dirname "$pc") PKG_CONFIG_SYSROOT_DIR=$work/root pkg-config "$@" etalon
}
read -ra shared < <(flags_of --cflags --libs)
read -ra all < <(flags_of --static --cflags --libs)

cat >"$work/user.c" <<'END'
#include <etalon/etalon.h>
#include <stdio.h>

static void f(void *arg) { ++*(volatile int *)arg; }

int main(int argc, char **argv)
{
	int calls = 0;
	const struct etalon_bench benches[] = { ETALON_BENCH_ARG("f", f, &calls) };

	puts(etalon_version());
	return etalon_bench_main(argc, argv, benches, 1);
}
END
wanted=$(sed -n "s/.*version: '\([0-9.]*\)'.*/\1/p" "$root/meson.build" | head -n 1)
lists() { [ "$("$@" --list)" = "$wanted"$'\n'f ]; }

# A library with a sanitizer cannot be linked without it.
if nm "$build/libetalon.a" 2>/dev/null | grep -qE '__(asan|ubsan|tsan)_'; then
	skip 'a build with sanitizers'
else
	ok 'a program links with the installed shared library' gcc "$work/user.c" "${shared[@]}" -o "$work/shared"
	LD_LIBRARY_PATH=$libdir ok 'the program runs' lists "$work/shared"
	rm "$libdir"/libetalon.so*
	ok 'a program links with the installed static library' gcc "$work/user.c" "${all[@]}" -o "$work/static"
	ok 'the program runs without any libetalon' lists "$work/static"
	if gcc -static "$work/user.c" "${all[@]}" -o "$work/alone" 2>"$work/why"; then
		ok 'a program without shared libraries runs' lists "$work/alone"
	else
		skip "no static libc or jansson: $(grep -m 1 'cannot find' "$work/why")"
	fi
fi
echo "1..$n"
exit $failed
