#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The tool and the library are built with the hardening that meson.build asks for.
# Usage: hardened.sh FORTIFIED TOOL LIBRARY; FORTIFIED is 0 with sanitizers or without optimisation
fortified=$1
tool=$(realpath "$2")
library=$(realpath "$3")
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

# calls FILE REGEX: the number of calls of functions whose name matches
calls()
{
	objdump -d --no-show-raw-insn "$1" | grep -cE "(call|bl)q?[[:space:]].*<$2(@plt|@got[^>]*)?>"
}

if ! command -v readelf >/dev/null || ! command -v objdump >/dev/null; then
	skip "hardened: the binaries are examined" "needs binutils"
	done_testing
fi
for file in "$tool" "$library"; do
	name=${file##*/}
	dynamic=$(readelf -dW "$file")
	segments=$(readelf -lW "$file")
	like "hardened: $name binds all symbols at start" "$dynamic" 'BIND_NOW|FLAGS_1.*NOW'
	like "hardened: $name has relocations that become read-only" "$segments" GNU_RELRO
	like "hardened: the stack of $name is not executable" "$(grep GNU_STACK <<<"$segments")" ' RW '
	unlike "hardened: no segment of $name is writable and executable" "$segments" 'LOAD.* RWE '
	like "hardened: $name is position-independent" "$(readelf -hW "$file")" 'Type: +DYN'
	# Without -fstack-protector-strong, only the 11 functions of other libraries have a check.
	[ "$(calls "$file" '__stack_chk_fail(_local)?')" -gt 40 ]
	holds $? "hardened: functions of $name check their stack"
	if [ "$fortified" -eq 0 ]; then
		skip "hardened: $name uses the checked functions of libc" "a build with sanitizers, or without optimisation"
		continue
	fi
	[ "$(calls "$file" '__[a-z]+_chk')" -gt 20 ]
	holds $? "hardened: $name uses the checked functions of libc"
done
like "hardened: etalon is a position-independent executable" "$(readelf -dW "$tool")" 'FLAGS_1.*PIE'
unlike "hardened: etalon does not link libpq, which would make every start slower" "$(readelf -dW "$tool")" 'libpq'

done_testing
