#!/bin/bash
# SPDX-License-Identifier: MIT
# ETALON_HIDE and ETALON_KEEP keep a computation that the compiler would do in advance or omit:
# compiles functions that multiply, and looks for the multiplications in the machine code.
# Usage: optimiser.sh INCLUDE_DIR
set -u
export LC_ALL=C
include=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/etalon-optimiser.XXXXXX")
trap 'rm -rf "$work"' EXIT
n=0 failed=0

skip_all()
{
	echo "1..0 # SKIP $1"
	exit 0
}

case $(uname -m) in
x86_64) multiplication='^(imul|mul|vmul|fmul)' ;;
aarch64) multiplication='^(mul|madd|smull|umull|fmul)' ;;
*) skip_all "the machine code of $(uname -m) is not known" ;;
esac
command -v objdump >/dev/null || skip_all 'no objdump'

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

cat >"$work/try.c" <<'END'
#include <etalon/etalon.h>

struct pair { int a, b; };
struct three { unsigned char c[3]; };
struct wide { uint64_t a, b; };
struct large { double a[9]; };

static inline uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ULL;
	return x ^ x >> 33;
}

#ifdef __cplusplus
extern "C" {
#endif
void hidden_integer(void)
{
	uint64_t x = 12345;
	ETALON_HIDE(x);
	x = mix(mix(x));
	ETALON_KEEP(x);
}
void hidden_char(void)
{
	unsigned char x = 3;
	ETALON_HIDE(x);
	ETALON_KEEP(x * x);
}
void hidden_float(void)
{
	float x = 1.5f;
	ETALON_HIDE(x);
	ETALON_KEEP(x * 1.1f);
}
void hidden_double(void)
{
	double x = 1.5;
	ETALON_HIDE(x);
	x = x * 1.1;
	ETALON_KEEP(x);
}
void hidden_long_double(void)
{
	long double x = 1.5L;
	ETALON_HIDE(x);
	x = x * 1.1L;
	ETALON_KEEP(x);
}
void hidden_pointer(void)
{
	int v = 3, *p = &v, x;
	ETALON_HIDE(p);
	x = *p * *p;
	ETALON_KEEP(x);
}
void hidden_pair(void)
{
	struct pair s = { 3, 4 };
	ETALON_HIDE(s);
	s.a = s.a * s.b;
	ETALON_KEEP(s);
}
void hidden_three(void)
{
	struct three s = { { 1, 2, 3 } };
	ETALON_HIDE(s);
	s.c[0] = (unsigned char)(s.c[1] * s.c[2]);
	ETALON_KEEP(s);
}
void hidden_wide(void)
{
	struct wide s = { 3, 4 };
	ETALON_HIDE(s);
	s.a = s.a * s.b;
	ETALON_KEEP(s);
}
void hidden_large(void)
{
	struct large s = { { 3, 4, 0, 0, 0, 0, 0, 0, 0 } };
	ETALON_HIDE(s);
	s.a[0] = s.a[0] * s.a[1];
	ETALON_KEEP(s);
}
/* The value in the loop is the same each time: it must be computed there all the same. */
void hidden_in_loop(int n)
{
	uint64_t x = 7;
	int i;
	for (i = 0; i < n; i++) {
		ETALON_HIDE(x);
		ETALON_KEEP(mix(x));
	}
}
void kept_argument(const int *p)
{
	ETALON_KEEP(*p * *p);
}
/* Without hiding, the compiler computes in advance: these two contain no multiplication. */
void known_integer(void)
{
	uint64_t x = 12345;
	ETALON_KEEP(x);
	x = mix(mix(x));
	ETALON_KEEP(x);
}
void not_kept(const int *p)
{
	int x = *p * *p;
	(void)x;
}
#ifdef __cplusplus
}
#endif
END

# The number of multiplications in function $2 of object $1.
count()
{
	objdump -d --no-show-raw-insn "$1" |
		awk -v f="<$2>:" '$2 == f { on = 1; next } /^$/ { on = 0 } on { print $2 }' |
		grep -cE "$multiplication"
}

# Compiler, language, standard, optimisation.
try()
{
	local name="$1 -std=$3 -O$4" f missing=''

	"$1" -x "$2" -std="$3" -O"$4" -pedantic -Wall -Wextra -Werror -I "$include" -c \
		-o "$work/try.o" "$work/try.c"
	result $? "$name: compiles without a warning"
	for f in char float double long_double pointer pair three wide large in_loop; do
		[ "$(count "$work/try.o" hidden_$f)" -ge 1 ] || missing="$missing $f"
	done
	[ "$(count "$work/try.o" kept_argument)" -ge 1 ] || missing="$missing kept_argument"
	[ "$(count "$work/try.o" hidden_integer)" -ge 3 ] || missing="$missing integer"
	[ -z "$missing" ]
	result $? "$name: hidden inputs and kept outputs are computed;${missing:- none} is missing"
	[ "$(count "$work/try.o" known_integer)$(count "$work/try.o" not_kept)" = 00 ]
	result $? "$name: the same code without them is not"
}

for compiler in gcc clang g++ clang++; do
	if ! command -v $compiler >/dev/null; then
		n=$((n + 1))
		echo "ok $n # SKIP no $compiler"
		continue
	fi
	for level in 2 3; do
		case $compiler in
		*++) try $compiler c++ c++11 $level ;;
		*) try $compiler c c99 $level ;;
		esac
	done
done
echo "1..$n"
exit $failed
