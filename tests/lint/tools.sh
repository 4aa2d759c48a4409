#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the Makefile calls: installing what is missing (on a make-believe system), counting tests.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
tools=$root/tools

# A system with only what is put here; what is called on it goes into the file calls.
system()
{
	rm -rf system calls installed
	mkdir system
	: >calls
	: >installed
	for tool in sh env cat grep; do
		ln -s "$(command -v $tool)" system/$tool
	done
	stub id 'echo 0'
}

# stub NAME BODY
stub()
{
	printf '#!/bin/sh\n%s\n' "$2" >"system/$1"
	chmod +x "system/$1"
}

debian()
{
	stub dpkg-query "for p; do :; done; grep -qx \"\$p\" $work/installed && echo 'ii '"
	stub apt-get "echo \"apt-get \$*\" >>$work/calls
		case \$* in *update*) : >$work/fresh ;; *) test -z \"\$STALE\" || test -f $work/fresh ;; esac"
	rm -f fresh
}

deps() { env -i PATH="$work/system" STALE="${STALE:-}" "$(command -v sh)" "$tools/install-deps" "$@"; }

system
debian
tr ' ' '\n' <<<'gcc libc6-dev meson ninja-build pkg-config scdoc libmnl-dev libsqlite3-dev libjansson-dev r-mathlib' >installed
exits 'all is there' 0 deps build
is 'nothing is called' "$(cat calls)" ''
is 'nothing is said' "$out$err" ''
sed -i '/scdoc/d' installed
exits 'one package is missing' 0 deps build
is 'it alone is installed' "$(cat calls)" 'apt-get -y -q install --no-install-recommends scdoc'
stub scdoc ''
: >calls
exits 'what the build can do without' 0 deps optional
is 'is a group of its own' "$(cat calls)" 'apt-get -y -q install --no-install-recommends libbpf-dev clang'
: >calls
exits 'its command is there from elsewhere' 0 deps build
is 'so nothing is installed' "$(cat calls)" ''
sed -i '/libmnl/d' installed
STALE=1
exits 'the package lists are stale' 0 deps build
is 'they are fetched, then it is tried again' "$(cut -d ' ' -f 4 calls | tr '\n' ' ')" 'install update install '
STALE=
: >calls
stub id 'echo 1000'
exits 'neither root nor sudo' 1 deps build
like 'what is missing is listed' "$err" 'apt-get install libmnl-dev'
is 'and nothing is tried' "$(cat calls)" ''
stub sudo "echo sudo >>$work/calls; exec \"\$@\""
exits 'with sudo' 0 deps build
is 'it is used' "$(head -n 1 calls)" 'sudo'
refused=$(deps nonsense 2>&1)
like 'an unknown group' "$refused" "unknown group 'nonsense'"

system
for tool in cc meson ninja pkg-config scdoc; do stub $tool ''; done
exits 'not a Debian, all commands there' 0 deps build
like 'the libraries are named' "$err" 'libmnl-dev'
rm system/meson
exits 'not a Debian, a command missing' 1 deps build
like 'everything to get is named' "$err" 'meson.*libsqlite3-dev'

log() { printf '{"name": "x", "stdout": "%s", "result": "%s", "starttime": 1}\n' "$1" "$2"; }
log 'ok 1 - a\nok 2 - b # SKIP none\n1..2\n' OK >a.json
log '' OK >b.json
exits 'counting' 0 "$tools/count-tests" a.json b.json
is 'checks count, a test without TAP counts once' "$out" '2 passed, 0 failed, 1 skipped'
log 'ok 1 - a\nnot ok 2 - b\n' FAIL >c.json
exits 'with a failure' 1 "$tools/count-tests" a.json c.json
is 'which is counted' "$out" '2 passed, 1 failed, 1 skipped'
log 'ok 1 - a\n' TIMEOUT >d.json
exits 'a test that ran out of time' 1 "$tools/count-tests" d.json
is 'fails, though all it said was ok' "$out" '1 passed, 1 failed'
exits 'a log that is not there' 1 "$tools/count-tests" a.json nosuch.json
is 'is a failure' "$out" '1 passed, 1 failed, 1 skipped'
: >empty.json
exits 'no test at all' 1 "$tools/count-tests" empty.json
is 'is one, too' "$out" '0 passed, 1 failed'

done_testing
