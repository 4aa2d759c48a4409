#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The tools that the Makefile calls install missing packages (tried on a simulated system) and count
# tests, .ci/run sums the counts, and the git hook checks commit messages.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
tools=$root/tools

# A simulated system, on which only the stubs exist. They write their calls to the file calls.
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
tr ' ' '\n' <<<'gcc libc6-dev meson ninja-build pkg-config scdoc libmnl-dev libsqlite3-dev libjansson-dev libyaml-dev r-mathlib' >installed
exits 'install-deps: succeeds when nothing is missing' 0 deps build
is 'install-deps: calls nothing when nothing is missing' "$(cat calls)" ''
is 'install-deps: prints nothing when nothing is missing' "$out$err" ''
sed -i '/scdoc/d' installed
exits 'install-deps: installs a missing package' 0 deps build
is 'install-deps: installs only the missing package' "$(cat calls)" 'apt-get -y -q install --no-install-recommends scdoc'
stub scdoc ''
: >calls
exits 'install-deps: knows the group of optional packages' 0 deps optional
is 'install-deps: installs the optional packages' "$(cat calls)" 'apt-get -y -q install --no-install-recommends libbpf-dev clang libdw-dev libiberty-dev libpq-dev'
: >calls
exits 'install-deps: succeeds when a command comes from elsewhere' 0 deps build
is 'install-deps: does not install a package for a command that exists' "$(cat calls)" ''
sed -i '/libmnl/d' installed
STALE=1
exits 'install-deps: succeeds with stale package lists' 0 deps build
is 'install-deps: updates stale package lists and tries again' "$(cut -d ' ' -f 4 calls | tr '\n' ' ')" 'install update install '
STALE=
: >calls
stub id 'echo 1000'
exits 'install-deps: fails with neither root nor sudo' 1 deps build
like 'install-deps: lists missing packages that it may not install' "$err" 'apt-get install libmnl-dev'
is 'install-deps: does not call apt-get without root' "$(cat calls)" ''
stub sudo "echo sudo >>$work/calls; exec \"\$@\""
exits 'install-deps: succeeds with sudo' 0 deps build
is 'install-deps: calls apt-get through sudo' "$(head -n 1 calls)" 'sudo'
refused=$(deps nonsense 2>&1)
like 'install-deps: refuses an unknown group' "$refused" "unknown group 'nonsense'"

system
for tool in cc meson ninja pkg-config scdoc; do stub $tool ''; done
exits 'install-deps: succeeds without dpkg when all commands exist' 0 deps build
like 'install-deps: names libraries that it cannot look up' "$err" 'libmnl-dev'
rm system/meson
exits 'install-deps: fails without apt-get when a command is missing' 1 deps build
like 'install-deps: names all packages to install by hand' "$err" 'meson.*libsqlite3-dev'

log() { printf '{"name": "x", "stdout": "%s", "result": "%s", "starttime": 1}\n' "$1" "$2"; }
log 'ok 1 - a\nok 2 - b # SKIP none\n1..2\n' OK >a.json
log '' OK >b.json
exits 'count-tests: succeeds when no check failed' 0 "$tools/count-tests" a.json b.json
is 'count-tests: counts TAP checks, and a test without TAP once' "$out" '2 passed, 0 failed, 1 skipped'
log 'ok 1 - a\nnot ok 2 - b\n' FAIL >c.json
exits 'count-tests: fails when a check failed' 1 "$tools/count-tests" a.json c.json
is 'count-tests: names and counts a failed check' "$out" "failed: x: not ok 2 - b
2 passed, 1 failed, 1 skipped"
log 'ok 1 - a\n' TIMEOUT >d.json
exits 'count-tests: fails when a test timed out' 1 "$tools/count-tests" d.json
is 'count-tests: names and counts a timeout as a failure' "$out" "failed: x: TIMEOUT
1 passed, 1 failed"
exits 'count-tests: fails when a log is missing' 1 "$tools/count-tests" a.json nosuch.json
is 'count-tests: counts a missing log as a failure' "$out" '1 passed, 1 failed, 1 skipped'
: >empty.json
exits 'count-tests: fails when no test ran' 1 "$tools/count-tests" empty.json
is 'count-tests: counts an empty log as a failure' "$out" '0 passed, 1 failed'

log 'ok 1 - a\nok 2 - b\n1..2\n' OK >two.json
log 'ok 1 - a\n1..1\n' OK >one.json
log 'ok 1 - c # SKIP none\n1..1\n' OK >skipped.json
exits 'count-tests: writes a plan' 0 "$tools/count-tests" --write plan two.json
is 'count-tests: a plan has the checks of each test' "$(grep -v '^#' plan)" 'x 2'
exits 'count-tests: as many checks as planned pass' 0 "$tools/count-tests" --plan plan two.json
exits 'count-tests: fails when a check vanished' 1 "$tools/count-tests" --plan plan two.json one.json
is 'count-tests: names a test with too few checks, and the command that changes the plan' "$out" "failed: x: 1 of 2 checks did not run and were not skipped
if this is meant: tools/count-tests --write plan two.json one.json
3 passed, 1 failed"
exits 'count-tests: a test that skips may have fewer checks' 0 "$tools/count-tests" --plan plan two.json skipped.json
exits 'count-tests: a test that skips keeps its line of the plan' 0 "$tools/count-tests" --write plan two.json skipped.json
is 'count-tests: the line of a test that skips' "$(grep -v '^#' plan)" 'x 2'
"$tools/count-tests" --write plan two.json one.json >/dev/null
is 'count-tests: of two runs the smaller one is planned' "$(grep -v '^#' plan)" 'x 1'
exits 'count-tests: more checks than planned do not fail' 0 "$tools/count-tests" --plan plan two.json
is 'count-tests: counts new checks, and names the command that plans them' "$out" "1 new checks in 1 tests are not planned yet
if this is meant: tools/count-tests --write plan two.json
2 passed, 0 failed"
sed -i 's/^x/y/' plan
exits 'count-tests: a test without a line in the plan does not fail' 0 "$tools/count-tests" --plan plan two.json
like 'count-tests: the checks of a test without a line are new' "$out" '^2 new checks in 1 tests'
"$tools/count-tests" --write plan two.json >/dev/null
is 'count-tests: a test that did not run keeps its line' "$(grep -v '^#' plan)" 'x 2
y 1'
exits 'count-tests: fails without the plan' 2 "$tools/count-tests" --plan nosuch two.json

# ci CHECK LINT: .ci/run with a make that prints and exits as these shell commands do
# shellcheck disable=SC2317 # exits calls it
ci()
{
	mkdir -p ci
	printf '#!/bin/sh\ncase $1 in check) %s ;; lint) %s ;; esac\n' "$1" "$2" >ci/make
	chmod +x ci/make
	env -u CI_ALL PATH="$work/ci:$PATH" "$root/.ci/run"
}

both='echo a; echo "5 passed, 0 failed, 2 skipped"'
exits 'ci: succeeds when check and lint succeed' 0 ci "$both" 'echo "3 passed, 0 failed"'
is 'ci: adds the counts of check and lint' "${out##*$'\n'}" '8 passed, 0 failed, 2 skipped'
exits 'ci: fails when lint fails' 1 ci "$both" 'echo "2 passed, 1 failed"; exit 2'
is 'ci: counts the failures of lint' "${out##*$'\n'}" '7 passed, 1 failed, 2 skipped'
exits 'ci: fails when check fails' 1 ci 'echo "4 passed, 1 failed"; exit 2' 'echo "3 passed, 0 failed"'
is 'ci: runs lint after a failed check' "${out##*$'\n'}" '7 passed, 1 failed'
exits 'ci: a failed check is named at the end' 1 ci 'echo "failed: x: not ok 2 - b"; seq 100; echo "4 passed, 1 failed"; exit 2' 'echo "3 passed, 0 failed"'
is 'ci: the name is in the line before the counts' "$(tail -n 2 <<<"$out")" "failed: x: not ok 2 - b
7 passed, 1 failed"
exits 'ci: fails when lint cannot start' 1 ci "$both" 'echo missing; exit 2'
is 'ci: counts a lint without a count as a failure' "${out##*$'\n'}" '5 passed, 1 failed, 2 skipped'
exits 'ci: fails when make fails after a good count' 1 ci "$both; exit 2" 'echo "3 passed, 0 failed"'
is 'ci: counts a make that fails after a good count' "${out##*$'\n'}" '8 passed, 1 failed, 2 skipped'

# again SUITES RESULT: check with a meson that has two tests, of which b (of SUITES) fails beside others and
# ends so when it runs alone. Tests of times run after the others.
# shellcheck disable=SC2317 # exits calls it
again()
{
	local pass=others
	mkdir -p again/meson-logs
	: >again/build.ninja
	rm -f again/*.json again/meson-logs/*
	log 'ok 1 - x\n' OK | sed 's|"x"|"etalon:unit / a"|' >again/others.json
	[[ +$1+ != *+timing+* ]] || pass=timing
	log 'ok 1 - x\nnot ok 2 - y\n' FAIL | sed "s|\"x\"|\"etalon:$1 / b\"|" >>"again/$pass.json"
	log 'ok 1 - x\nok 2 - y\n' "$2" | sed "s|\"x\"|\"etalon:$1 / b\"|" >again/alone.json
	printf '#!/bin/sh\n' >ci/ninja
	cat >ci/meson <<-END
		#!/bin/sh
		cd $work/again || exit 1
		case \$* in
		*'--suite timing '*' b') cat alone.json >meson-logs/testlog-timing.json; [ $2 = OK ] ;;
		*'--no-suite timing '*) cat others.json >meson-logs/testlog.json; [ $pass != others ] ;;
		*) cat /dev/null timing.json >meson-logs/testlog-timing.json 2>/dev/null; [ $pass != timing ] ;;
		esac
	END
	chmod +x ci/ninja ci/meson
	BUILD=$work/again PATH=$work/ci:$PATH "$tools/check" plain
}
# planned: the output without the lines about checks that tests/plan does not have
planned() { grep -vE '^([0-9]+ new checks |if this is meant: )' <<<"$out"; }
for suites in cli+timing timing unit+timing+heavy; do
	exits "check: succeeds if a test of times ($suites) passes alone" 0 again $suites OK
	is "check: what passes alone ($suites) is named and counts as passed" "$(planned | tail -n 2)" \
		"unsteady: b failed beside other tests and passed alone
3 passed, 0 failed"
done
exits 'check: fails if a test of times fails alone, too' 1 again unit+timing TIMEOUT
is 'check: what fails twice is named and counts as failed' "$(planned | tail -n 2)" \
	"failed: b: TIMEOUT
3 passed, 1 failed"
# A lost sample that shows once in two runs must not be green.
for suites in unit torture cli timings+unit; do
	exits "check: fails if a test that judges no times ($suites) fails once" 1 again $suites OK
	unlike "check: a test that judges no times ($suites) is not tried again" "$out" 'once more'
	is "check: a test that judges no times ($suites) counts as failed" "${out##*$'\n'}" '2 passed, 1 failed'
done

stub id 'echo 1000'
refused=$(env PATH="$work/system:$PATH" "$tools/check-fresh" 2>&1)
like 'check-fresh: refuses to run without root' "$refused" 'need root.*hint: run with sudo'

zeros() { printf '%0*d' "$1" 0; }

# message NAME STATUS TEXT: the hook's verdict on a commit message
message()
{
	printf '%b' "$3" >message
	exits "commit-msg: $1" "$2" "$tools/commit-msg" message
}

message 'accepts a title, an empty line and a body' 0 'store: reject --nice 25\n\nThe field ends at 19.\n'
message 'accepts a title of 72 characters' 0 "base: $(zeros 66)\n"
message 'refuses a title of 73 characters' 1 "base: $(zeros 67)\n"
like 'commit-msg: prints the length of a title' "$err" 'the title has 73 characters, more than 72'
like 'commit-msg: gives a hint' "$err" 'hint: write "area: what the change does"'
message 'counts characters, not bytes' 0 "doc: $(printf 'é%.0s' $(seq 67))\n"
message 'refuses a title without an area' 1 'reject --nice 25\n'
message 'refuses a second line that is not empty' 1 'store: reject --nice 25\nThe field ends at 19.\n'
message 'ignores comments' 0 "# $(zeros 80)\nstore: reject --nice 25\n# x\n"
message 'ignores the diff of commit -v' 0 \
	'store: reject --nice 25\n# ------------------------ >8 ------------------------\ndiff\n'
message 'accepts a merge' 0 "Merge branch 'a-branch-with-a-long-name-%s' into another\n"
git init -q repository
git -C repository config core.hooksPath "$tools"
# shellcheck disable=SC2317 # exits calls it
commit() { git -C repository -c user.name=A -c user.email=a@b commit -q --allow-empty -m "$1"; }
exits 'commit-msg: works as a hook and accepts a good title' 0 commit 'base: begin'
exits 'commit-msg: works as a hook and refuses a long title' 1 commit "base: $(zeros 80)"

done_testing
