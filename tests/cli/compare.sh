#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# compare: the protocol on files and experiments, its JSON, its exit status in CI, bad input.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# Normal, another 3 % longer, one of larger spread, one skewed.
python3 - <<'END'
import random
random.seed(7)
def write(name, draw, n = 30):
    with open(name, "w") as f:
        f.writelines("%r\n" % draw() for _ in range(n))
write("old", lambda: random.gauss(100, 1))
write("same", lambda: random.gauss(100, 1))
write("new", lambda: random.gauss(103, 1))
write("wide", lambda: random.gauss(100, 8))
write("skewed", lambda: 100 + random.expovariate(0.2), 60)
END

exits 'two files' 0 etalon compare old new
like 'the verdict' "$out" 'new vs old: 1\.0[23][0-9]* × .*slower by [23]'
like 'the forest plot' "$out" '├.*●.*┤'
exits 'JSON beside the text' 0 etalon compare old new --json pairs.json
like 'the text stays on stdout' "$out" 'new vs old'
cp pairs.json .out
json 'keys of the contract' 'set(d) >= {"alpha", "samples", "pairs", "pairs_different"}
	and set(d["samples"][0]) >= set("name n mean sd median shapiro gaussian".split())
	and set(d["pairs"][0]) >= set("a b f_test ks test statistic df p holm_alpha p_holm significant_unadjusted significant ratio paired verdict".split())
	and set(d["pairs"][0]["ratio"]) >= {"estimate", "lo", "hi", "method"}
	and set(d["pairs_different"]) == {"before_holm", "after_holm"}'
json 'Student, as both are normal and alike' 'd["pairs"][0]["test"] == "student" and d["pairs"][0]["df"] == 58
	and d["pairs"][0]["f_test"]["p"] > 0.05 and d["pairs"][0]["ks"] is None and d["pairs"][0]["paired"] is None and d["pairs"][0]["significant"]'
json 'the verdict in words' 'd["pairs"][0]["verdict"].startswith("new slower by ") and d["pairs"][0]["ratio"]["method"] == "fieller"'
exits 'JSON on stdout' 0 etalon compare old wide --json -
like 'the text on stderr' "$err" 'wide vs old'
json 'Welch, as the spreads differ' 'd["pairs"][0]["test"] == "welch" and d["pairs"][0]["f_test"]["p"] < 0.05 and 29 < d["pairs"][0]["df"] < 40'
exits 'a skewed one' 0 etalon compare old skewed --json -
json 'Wilcoxon, with the shapes compared' 'd["pairs"][0]["test"] == "wilcoxon" and d["pairs"][0]["df"] is None
	and not d["pairs"][0]["ks"]["same_shape"] and d["pairs"][0]["f_test"] is None and d["pairs"][0]["ratio"]["method"] == "hodges-lehmann"'
json 'it speaks of order, not of medians' '"stochastic order" in d["pairs"][0]["verdict"]'
exits 'several' 0 etalon compare old same new skewed --json -
json 'every pair, Holm as published' '(lambda q: len(q) == 6 and all(abs(x["holm_alpha"] - 0.05 / (6 - j)) < 1e-15
	for j, x in enumerate(q)))(sorted(d["pairs"], key = lambda x: x["p"]))'
json 'adjusted and raw agree' 'all((x["p_holm"] <= 0.05) == x["significant"] for x in d["pairs"])
	and d["pairs_different"]["after_holm"] == sum(x["significant"] for x in d["pairs"]) / 6'
like 'the matrix' "$err" 'matrix'
like 'both percentages' "$err" 'pairs that differ: .* % of 6 .* % after Holm'
exits 'with a reference' 0 etalon compare --reference new old same new --json -
json 'two pairs' 'len(d["pairs"]) == 2 and all(x["a"] == "new" for x in d["pairs"])'
exits 'by its number' 0 etalon compare --reference 3 old same new
exits 'narrow' 0 env COLUMNS=40 etalon compare old new skewed
ok 'no line over 40 columns' test -z "$(head -n -1 .out | grep -E '^.{41,}')"
exits 'another alpha' 0 etalon compare --alpha 0.5 old same --json -
json 'is heard' 'd["alpha"] == 0.5 and d["pairs"][0]["ratio"]["level"] == 0.5'

# --- in CI
exits 'a regression' 1 etalon compare --fail-on-regression old new
exits 'above 2 %' 1 etalon compare --fail-on-regression=2 old new
exits 'not above 5 %' 0 etalon compare --fail-on-regression=5% old new
exits 'faster is none' 0 etalon compare --fail-on-regression new old
exits 'nor is no difference' 0 etalon compare --fail-on-regression old same
exits 'the reference counts' 0 etalon compare --fail-on-regression --reference 2 old new
exits 'without the option' 0 etalon compare old new

# --- experiments
"$KEEP_SPECIMEN" "$ETALON_STORE" mine || exit 1
exits 'a kept experiment: its commands' 0 etalon compare mine --json -
json 'as pairs' 'len(d["pairs"]) == 1 and d["pairs"][0]["paired"]["pairs"] >= 3
	and d["pairs"][0]["paired"]["arrangement"] in ("duet", "block") and d["pairs"][0]["test"] in ("paired-t", "signed-rank", "sign")'
cp .out kept.json
etalon export -o native.json
exits 'its native record' 0 etalon compare native.json --json -
json 'says the same' 'd["pairs"] == json.load(open("kept.json"))["pairs"]'
exits 'elapsed time' 0 etalon compare --metric et mine
etalon show --json >shown.json
cp kept.json .out
json 'run and compare agree' '(lambda c: d["pairs"][0]["p"] == c["p"] and d["pairs"][0]["ratio"] == c["ratio"])(
	json.load(open("shown.json"))["comparisons"][0])'
cp native.json other.json
exits 'equal names of two files' 0 etalon compare native.json other.json --reference 1 --json -
json 'get the file behind them' 'any("(other.json)" in s["name"] for s in d["samples"])
	and len(set(s["name"] for s in d["samples"])) == 4'
json 'and are independent series' 'd["pairs"][1]["paired"] is None'
cat >hyperfine.json <<'END'
{ "results": [ { "command": "a", "times": [0.1, 0.11, 0.105, 0.102] }, { "command": "b", "times": [0.2, 0.21, 0.205, 0.202] } ] }
END
exits "hyperfine's" 0 etalon compare hyperfine.json --json -
json 'two series' 'd["pairs"][0]["a"] == "a" and d["pairs"][0]["b"] == "b" and 1.9 < d["pairs"][0]["ratio"]["estimate"] < 2.0'

# --- nothing to say is said
printf '5\n5\n5\n5\n' >flat
exits 'a constant series' 0 etalon compare flat old --json -
json 'is compared by ranks' 'd["pairs"][0]["test"] == "wilcoxon" and d["samples"][0]["shapiro"]["p"] is None'
cp flat flat2
exits 'two constant series' 0 etalon compare flat flat2 --json -
json 'undefined is null' 'd["pairs"][0]["p"] is None and not d["pairs"][0]["significant"] and "cannot" in d["pairs"][0]["verdict"]'
printf -- '-1\n-2\n-3\n-5\n' >negative
exits 'negative numbers' 0 etalon compare negative old --json -
json 'have no ratio' 'd["pairs"][0]["ratio"]["estimate"] is None and d["pairs"][0]["significant"]'

# --- bad input
printf '1\n2\n' >two
printf '1\nx\n3\n' >text
: >empty
refuses 'nothing' 2 'two series' etalon compare
refuses 'one series' 2 'two series' etalon compare old
refuses 'the same file twice' 2 "same name 'old'" etalon compare old old
refuses 'fewer than 3' 2 "'two' has only 2 values: .* 3" etalon compare old two
refuses 'text' 2 "text: line 2: 'x'" etalon compare old text
refuses 'an empty file' 2 'empty: there are no numbers' etalon compare empty old
refuses 'no such thing' 2 "'nosuch' is neither" etalon compare old nosuch
for alpha in 0 1 -1 2 x nan; do
	refuses "--alpha $alpha" 2 '--alpha' etalon compare --alpha $alpha old new
done
refuses '--reference 3 of 2' 2 '--reference' etalon compare --reference 3 old new
refuses '--reference 0' 2 '--reference' etalon compare --reference 0 old new
refuses '--fail-on-regression=x' 2 'not a percentage' etalon compare --fail-on-regression=x old new
refuses '--fail-on-regression=-1' 2 'below 0' etalon compare --fail-on-regression=-1 old new
refuses '--metric' 2 '--metric' etalon compare --metric cpu old new
exits 'a file that cannot be written' 4 etalon compare old new --json no/where
like 'is named' "$err" 'no/where: No such file'

done_testing
