#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# libetalon is built and installed where pkg-config knows no library but jansson, and a program links
# with it.
# Usage: alone.sh SOURCE_ROOT
# shellcheck disable=SC2317 # functions are called through ok
set -u
export LC_ALL=C
root=$1
version=$(sed -n "s/.*version: '\([0-9.]*\)'.*/\1/p" "$root/meson.build" | head -n 1)
work=$(mktemp -d "${TMPDIR:-/tmp}/etalon-alone.XXXXXX")
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

mkdir "$work/pc"
cp "$(pkg-config --variable=pcfiledir jansson)/jansson.pc" "$work/pc"
export PKG_CONFIG_LIBDIR=$work/pc
unset PKG_CONFIG_PATH

configure() { meson setup -Dtool=false -Dbuildtype=debug -Dwerror=true --prefix=/usr "$work/build" "$root"; }
ok 'libetalon alone is configured where only jansson is known' configure
libraries=$(sed -nE 's/^(Library|Run-time dependency) ([^ ]*) found: .*/\2/p' "$work/out" | sort | xargs)
ok 'no library but jansson, libm and pthread is looked for' test "$libraries" = 'jansson m threads'
ok 'libetalon alone is built' ninja -C "$work/build"
DESTDIR=$work/root ok 'libetalon alone is installed' meson install --no-rebuild -C "$work/build"

cd "$work/root/usr" || exit 1
libdir=$(dirname "$(find "$PWD" -name libetalon.a)")
files=$(find . -type f -printf '%f\n' | sort | xargs)
ok 'the libraries, their headers and pkg-config files are installed, and nothing else' test "$files" = \
	'benchmark.h benchmark.h etalon-compat.pc etalon.h etalon.hpp etalon.pc libetalon.a libetalon.so.'"$version"

cat >"$work/user.c" <<'END'
#include <etalon/etalon.h>
#include <stdio.h>

int main(void) { return puts(etalon_version()) < 0; }
END
links()
{
	local flags
	read -ra flags < <(PKG_CONFIG_PATH=$libdir/pkgconfig PKG_CONFIG_SYSROOT_DIR=$work/root \
		pkg-config "$@" --cflags --libs etalon)
	gcc "$work/user.c" "${flags[@]}" -o "$work/user" && LD_LIBRARY_PATH=$libdir "$work/user"
}
ok 'a program links with the shared library and runs' links
rm "$libdir"/libetalon.so*
ok 'a program links with the static library and runs' links --static
echo "1..$n"
exit $failed
