#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon doe init`: the example, a first plan for a command, and the schema of plans.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

exits 'init: the example is printed' 0 etalon doe init
like 'init: the example explains its keys' "$out" 'etalon-plan\(5\) explains every key'
exits 'init: --output writes a file' 0 etalon doe init -o example.yaml
ok 'init: the file is the example' test -s example.yaml
echo mine >precious.yaml
exits 'init: a file is not overwritten' 2 etalon doe init -o precious.yaml
like 'init: the error names the file' "$err" 'precious.yaml exists, and is not overwritten'
is 'init: the file is as before' "$(cat precious.yaml)" mine
exits 'init: a folder that does not exist is an error' 2 etalon doe init -o nowhere/a.yaml
exits 'init: it takes no operand' 2 etalon doe init './mm 200'
like 'init: the hint for an operand is --from' "$err" "doe init --from './mm 200'"

exits 'init: --from writes a first plan' 0 etalon doe init --from "etalon put sort --size '2000'" -o first.yaml
like 'init: --from: the command is quoted for YAML' "$(cat first.yaml)" \
	"command: 'etalon put sort --size ''2000'''"
like 'init: --from: the size of the environment is varied' "$(cat first.yaml)" 'kind: environment-size'
is 'init: --from: lines have at most 80 columns' "$(awk 'length > 80' first.yaml)" ''
like 'init: --from: the name has the first argument' "$(cat first.yaml)" "name: 'first look at etalon put'"
# A text that names a library of OpenMP does not need it.
cp "$(type -P true)" named && printf libgomp.so.1 >>named
exits 'init: --from: a program that only has the name of a library in it' 0 etalon doe init --from ./named
ok 'init: --from: it has no factor of threads' test -z "$(grep 'kind: threads' <<<"$out")"
exits 'init: --from: a command that needs a shell' 0 etalon doe init --from 'sort /etc/passwd | uniq'
like 'init: --from: the plan asks for a shell' "$out" 'run: \{ shell: sh \}'
exits 'init: --from: an unknown program' 2 etalon doe init --from ./nowhere -o none.yaml
ok 'init: --from: after an error there is no file' test ! -e none.yaml
exits 'init: --from: an empty command' 2 etalon doe init --from ''
exits 'init: --from: braces would be a factor' 2 etalon doe init --from 'true {n}'
like 'init: --from: the hint is about braces' "$err" 'write \{ n \}'
exits 'init: --from: a command of two lines' 2 etalon doe init --from $'true\nfalse'
exits 'init: --from excludes --schema' 2 etalon doe init --schema --from true

exits 'init: --schema prints JSON' 0 jq -e '.properties.factors.items' <(etalon doe init --schema)
ok "init: doc/plan.schema.json is what --schema prints (or 'etalon doe init --schema' writes it)" \
	cmp "$root/doc/plan.schema.json" <(etalon doe init --schema)

# Both plans can be planned and run as they are; here with fewer runs.
for plan in example first; do
	exits "init: doe plan accepts the plan $plan.yaml" 0 etalon doe plan $plan.yaml
	sed 's/replications: 31/replications: 2/' $plan.yaml >few.yaml
	exits "init: doe run runs the plan $plan.yaml" 0 etalon doe run few.yaml
done

# validate FILE: whether the schema accepts a plan
# shellcheck disable=SC2317 # it is called by ok and exits
validate()
{
	python3 - "$root/doc/plan.schema.json" "$1" <<-'END'
		import json, jsonschema, sys, yaml
		schema = json.load(open(sys.argv[1]))
		jsonschema.Draft7Validator.check_schema(schema)
		jsonschema.validate(yaml.safe_load(open(sys.argv[2])), schema)
	END
}

# The schema accepts what etalon accepts. Editors read YAML as these modules do.
if python3 -c 'import jsonschema, yaml' 2>/dev/null; then
	for plan in example.yaml first.yaml; do
		ok "init: the schema accepts $plan" validate "$plan"
	done
	while IFS= read -r plan; do
		ok "init: the schema accepts ${plan##*/}" validate "$plan"
	done < <(find "$root/examples" -name '*.yaml' | sort)
	sed 's/order: random/order: randm/' example.yaml >wrong.yaml
	exits 'init: the schema refuses an unknown order' 1 validate wrong.yaml
	sed 's/^design/desing/' example.yaml >wrong.yaml
	exits 'init: the schema refuses an unknown key' 1 validate wrong.yaml
	sed 's/\[0, 512\]/[0, -1]/' example.yaml >wrong.yaml
	exits 'init: the schema refuses a level out of range' 1 validate wrong.yaml
else
	skip 'init: the schema accepts the plans' 'no jsonschema or yaml for Python'
fi

done_testing
