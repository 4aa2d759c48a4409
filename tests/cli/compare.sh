#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon compare`: tests and verdicts on files and experiments, JSON, exit status in CI, bad input.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# Two equal normal series, one that is 3 % longer, one of larger spread, and a skewed one.
python3 - <<'END'
import random
random.seed(8)
def write(name, draw, n = 30):
    with open(name, "w") as f:
        f.writelines("%r\n" % draw() for _ in range(n))
write("old", lambda: random.gauss(100, 1))
write("same", lambda: random.gauss(100, 1))
write("new", lambda: random.gauss(103, 1))
write("wide", lambda: random.gauss(100, 8))
write("skewed", lambda: 100 + random.expovariate(0.2), 60)
END

exits 'compare: two files of numbers are compared' 0 etalon compare old new
like 'compare: the text gives the ratio and the verdict' "$out" 'new vs old: 1\.0[23][0-9]* × .*larger by [23]'
like 'compare: the text has a forest plot' "$out" '├.*●.*┤'
exits 'compare: --json FILE succeeds' 0 etalon compare old new --json pairs.json
like 'compare: with --json FILE the text stays on stdout' "$out" 'new vs old'
cp pairs.json .out
json 'compare: JSON has the keys of the documented contract' 'set(d) >= {"alpha", "samples", "pairs", "pairs_different"}
	and set(d["samples"][0]) >= set("name n mean sd median shapiro gaussian".split())
	and set(d["pairs"][0]) >= set("a b f_test ks test statistic df p holm_alpha p_holm significant_unadjusted significant ratio paired verdict".split())
	and set(d["pairs"][0]["ratio"]) >= {"estimate", "lo", "hi", "method"}
	and set(d["pairs_different"]) == {"before_holm", "after_holm"}'
json "compare: two normal series of equal spread get Student's t test" 'd["pairs"][0]["test"] == "student" and d["pairs"][0]["df"] == 58
	and d["pairs"][0]["f_test"]["p"] > 0.05 and d["pairs"][0]["ks"] is None and d["pairs"][0]["paired"] is None and d["pairs"][0]["significant"]'
json 'compare: the verdict in JSON is a sentence' 'd["pairs"][0]["verdict"].startswith("new larger by ") and d["pairs"][0]["ratio"]["method"] == "fieller"'
exits 'compare: --json - succeeds' 0 etalon compare old wide --json -
like 'compare: with --json - the text goes to stderr' "$err" 'wide vs old'
json "compare: series of different spread get Welch's test" 'd["pairs"][0]["test"] == "welch" and d["pairs"][0]["f_test"]["p"] < 0.05 and 29 < d["pairs"][0]["df"] < 40'
exits 'compare: a skewed series is accepted' 0 etalon compare old skewed --json -
json 'compare: a skewed series gets the Wilcoxon test and a comparison of shapes' 'd["pairs"][0]["test"] == "wilcoxon" and d["pairs"][0]["df"] is None
	and not d["pairs"][0]["ks"]["same_shape"] and d["pairs"][0]["f_test"] is None and d["pairs"][0]["ratio"]["method"] == "hodges-lehmann"'
json 'compare: a verdict on series of different shapes names what the ratio is' '"in the median of all pairs of values; the shapes differ" in d["pairs"][0]["verdict"]'
exits 'compare: four series are compared' 0 etalon compare old same new skewed --json -
json "compare: each pair gets its level of Holm's procedure" '(lambda q: len(q) == 6 and all(abs(x["holm_alpha"] - 0.05 / (6 - j)) < 1e-15
	for j, x in enumerate(q)))(sorted(d["pairs"], key = lambda x: x["p"]))'
json 'compare: adjusted p values agree with the verdicts' 'all((x["p_holm"] <= 0.05) == x["significant"] for x in d["pairs"])
	and d["pairs_different"]["after_holm"] == sum(x["significant"] for x in d["pairs"]) / 6'
like 'compare: four series give a matrix of pairs' "$err" 'matrix'
like 'compare: the share of different pairs is given before and after Holm' "$err" 'pairs that differ: .* % of 6 .* % after Holm'
exits 'compare: --reference NAME succeeds' 0 etalon compare --reference new old same new --json -
json 'compare: --reference NAME compares the others with that series only' 'len(d["pairs"]) == 2 and all(x["a"] == "new" for x in d["pairs"])'
exits 'compare: --reference accepts the number of a series' 0 etalon compare --reference 3 old same new
exits 'compare: three series fit a terminal of 40 columns' 0 env COLUMNS=40 etalon compare old new skewed
ok 'compare: no line is longer than 40 columns' test -z "$(head -n -1 .out | grep -E '^.{41,}')"
exits 'compare: --alpha succeeds' 0 etalon compare --alpha 0.5 old same --json -
json 'compare: --alpha sets the level of tests and intervals' 'd["alpha"] == 0.5 and d["pairs"][0]["ratio"]["level"] == 0.5'

# --- dependent series: an autoregression with a coefficient of 0.9
python3 - <<'END'
import random
random.seed(4)
for name in ("slow1", "slow2"):
    e = 0
    with open(name, "w") as f:
        for i in range(60):
            e = 0.9 * e + random.gauss(0, 1)
            f.write("%r\n" % (100 + e))
END
exits 'compare: dependent series are compared' 0 etalon compare slow1 slow2 --json -
json 'compare: dependent series carry a warning, and the p that decides is larger' '(lambda q: q["variance_inflation"] > 2 and q["p_used"] > q["p"]
	and [w["code"] for w in q["warnings"]] == ["dependent-series"])(d["pairs"][0])'
like 'compare: the warning counts the values' "$err" '(60 and|60 values count)'

# --- too few values, wrong words
printf '1\n1.001\n9\n' >few1
printf '100\n101\n900\n' >few2
exits 'compare: three values against three are compared' 0 etalon compare few1 few2 --json -
like 'compare: values that cannot reach significance are too few' "$err" 'too few values \(3 and 3\) for a verdict'
json 'compare: JSON says that there are too few values' '"take 4 of each" in d["pairs"][0]["verdict"] and not d["pairs"][0]["significant"]'
for i in 1 2 3 4 5; do for k in 0 1 2 3 90; do echo $((i * 1000 + k)); done >"level$i"; done
exits 'compare: five series of five values are compared' 0 etalon compare level1 level2 level3 level4 level5 --json -
json 'compare: five values are too few for ten comparisons' 'all("too few values (5 and 5) for a verdict over 10 comparisons: take 6 of each" in q["verdict"]
	for q in d["pairs"] if not q["significant"])'
for i in 1 2 3 4 5; do echo 3.25; done >const1
sed 's/3/4/' const1 >const2
exits 'compare: two different constants are compared' 0 etalon compare const1 const2
like 'compare: two constants have a ratio and no interval' "$out" '1\.308 ×, larger by 31 % \(no interval: neither series varies\)'
for i in $(seq 20); do echo 1000000000000000 | awk -v i="$i" '{ printf "%.0f\n", $1 + i % 7 }'; done >far1
for i in $(seq 20); do echo 1000000000000000 | awk -v i="$i" '{ printf "%.0f\n", $1 + 100 + i % 7 }'; done >far2
exits 'compare: values that are constant to the last digits are compared' 0 etalon compare far1 far2 --json -
json 'compare: without a p the verdict is that they cannot be compared' 'd["pairs"][0]["p"] is None and "cannot be compared" in d["pairs"][0]["verdict"]'
printf '60\n80\n100\n' >wide1
printf '1\n20\n35\n' >wide2
exits 'compare: a wide interval is printed' 0 etalon compare wide1 wide2 --json -
json 'compare: the ratio of positive values has no negative bound' 'd["pairs"][0]["ratio"]["lo"] == 0 and d["pairs"][0]["verdict"] == "wide2 smaller by 80 % (30 … 100)"'
like 'compare: the text and JSON round alike' "$err" '0\.2 × \(0\.0 … 0\.7\), smaller by 80 %'

awk 'BEGIN { for (i = 0; i < 20; i++) print 41.15 * (1000 + (i * 7) % 40 * 10) }' >forty
awk 'BEGIN { for (i = 0; i < 20; i++) print 1000 + (i * 11) % 40 * 10 }' >one
exits 'compare: series of very different size are compared' 0 etalon compare one forty same
change=$(sed -n 's/^ *forty vs one:.* larger by \([0-9.]* %\).*/\1/p' .out)
like 'compare: the verdict has a change' "$change" '^[34][0-9]{3} %$'
like 'compare: the matrix has the digits of the verdict' "$(grep -A 2 '^matrix' .out | tail -1)" "^ +\\[1\\]  one .* \\+$change "
upper=$(sed -n 's/^ *forty vs one: [0-9.]* × ([0-9.]* … \([0-9.]*\)).*/\1/p' .out)
ok 'compare: the plot ends with the digits of the interval' grep -qE " ${upper:-none}\$" .out
cp same like
cp same alike
exits 'compare: equal series are compared' 0 etalon compare same like alike
like 'compare: numbers of columns are apart also where no cell is wide' "$(grep -A 1 '^matrix' .out | tail -1)" '^ +\[1\]  \[2\]  \[3\]$'
mkdir -p results/a results/b
cp old results/a/times
cp new results/b/times
exits 'compare: files in folders are compared' 0 etalon compare results/a/times results/b/times
like 'compare: the plot names files without their common folders' "$out" 'b/times vs a/times  │'

# --- simultaneous intervals, ratio of the means, all series together
exits 'compare: --intervals simultaneous succeeds' 0 etalon compare --intervals simultaneous old same new --json -
json 'compare: simultaneous intervals have the level of Sidak' 'd["intervals"] == "simultaneous"
	and all(abs(q["ratio"]["level"] - 0.95 ** (1 / 3)) < 1e-12 for q in d["pairs"])'
like 'compare: the text has both levels of simultaneous intervals' "$err" 'intervals: 98\.3048 % each, 95 % together \(Sidak\)'
json 'compare: three normal series have an analysis of variance' 'd["all"]["test"] == "anova" and d["all"]["df"] == 2 and d["all"]["df2"] == 87 and d["all"]["p"] < 1e-6'
exits 'compare: --ratio bootstrap succeeds' 0 etalon compare --ratio bootstrap old skewed --json -
json 'compare: the bootstrap gives the ratio of the means' '(lambda q, s: q["ratio"]["method"] == "bootstrap-bca"
	and abs(q["ratio"]["estimate"] - s[1]["mean"] / s[0]["mean"]) < 1e-12 and q["ratio"]["lo"] < q["ratio"]["estimate"] < q["ratio"]["hi"]
	and " on average" in q["verdict"])(d["pairs"][0], d["samples"])'
exits 'compare: three series, one of them skewed, are compared' 0 etalon compare old same skewed --json -
json 'compare: series that are not normal are tested together by ranks' 'd["all"]["test"] == "kruskal-wallis" and d["all"]["df2"] is None and d["intervals"] == "single"'
refuses 'compare: an unknown kind of intervals is rejected' 2 '--intervals' etalon compare --intervals both old new
refuses 'compare: an unknown ratio is rejected' 2 '--ratio' etalon compare --ratio median old new

# --- in CI
exits 'compare: --fail-on-regression exits 5 on a regression' 5 etalon compare --fail-on-regression old new
exits 'compare: --fail-on-regression=2 exits 5 on a regression of 3 %' 5 etalon compare --fail-on-regression=2 old new
exits 'compare: --fail-on-regression=5% exits 0 on a regression of 3 %' 0 etalon compare --fail-on-regression=5% old new
exits 'compare: --fail-on-regression exits 0 if the second series is faster' 0 etalon compare --fail-on-regression new old
exits 'compare: --fail-on-regression exits 0 if there is no difference' 0 etalon compare --fail-on-regression old same
exits 'compare: --fail-on-regression judges by the --reference' 0 etalon compare --fail-on-regression --reference 2 old new
exits 'compare: --fail-on-regression=2.99 exits 0 if the interval contains the limit' 0 etalon compare --fail-on-regression=2.99 old new
like 'compare: an interval that contains the limit leaves it undecided' "$err" '^etalon: undecided: new is'
exits 'compare: a regression without --fail-on-regression exits 0' 0 etalon compare old new

# --- series that do not vary, as times of a coarse clock: more of them must not hide a difference
yes 0.12 | head -n 30 >short
yes 0.24 | head -n 30 >long
cp long almost
echo 0.25 >>almost
exits 'compare: two constant series of 30 values that differ fail the gate' 5 etalon compare --fail-on-regression=5 short long --json -
like 'compare: two constant series of 30 values are shown to differ' "$err" 'long vs short: 2\.000 ×, larger by 100 % \(no interval: neither series varies\)'
like 'compare: the gate has no interval of two constant series' "$err" 'etalon: REGRESSION: long is 100 % slower than short \(no interval: neither varies\), limit 5 %'
cp long equal
exits 'compare: two equal constant series pass the gate' 0 etalon compare --fail-on-regression=5 long equal
is 'compare: the gate says that they are equal' "$err" 'etalon: no regression: equal is equal to long (neither varies), limit 5 %'
for name in three four five; do seq 1000 1029 | awk -v k="${#name}" '{ print $1 + $1 * k % 13 }' >$name; done
exits 'compare: three series are judged by the gate' 0 etalon compare --fail-on-regression=5 three four five
like 'compare: the gate allows for the two comparisons that it makes' "$err" ' % over 2 comparisons\), limit 5 %.*\(the largest of 2 comparisons\)$'
exits 'compare: two constant series of 30 values fail again' 5 etalon compare --fail-on-regression=5 short long --json -
json 'compare: JSON of two constant series has no dependence and a difference' 'd["pairs"][0]["significant"] and d["pairs"][0]["variance_inflation"] == 1
	and d["pairs"][0]["p_used"] < 1e-9 and abs(d["pairs"][0]["ratio"]["estimate"] - 2) < 1e-12 and not any(w["code"] == "dependent-series" for w in d["pairs"][0]["warnings"])'
exits 'compare: a constant series and one that hardly varies fail the gate' 5 etalon compare --fail-on-regression=5 short almost
like 'compare: an interval without width has no needless digits' "$err" '^etalon: REGRESSION: almost is 100 % slower than short \(100 … 100 %\), limit 5 %$'
for ((i = 0; i < 15; i++)); do printf '0.13\n0.14\n'; done >turns
exits 'compare: a constant series against a varying one fails the gate' 5 etalon compare --fail-on-regression=5 short turns --json -
json 'compare: JSON of one constant series has a difference and an interval above 1' 'd["pairs"][0]["significant"] and d["pairs"][0]["p_used"] < 1e-9 and 1 < d["pairs"][0]["ratio"]["lo"] < 1.15'

# --- experiments
"$KEEP_SPECIMEN" "$ETALON_STORE" mine || exit 1
exits 'compare: a stored experiment is compared by its commands' 0 etalon compare mine --json -
json 'compare: the duets of a stored experiment are compared as pairs' 'len(d["pairs"]) == 1 and d["pairs"][0]["paired"]["pairs"] >= 3
	and d["pairs"][0]["paired"]["arrangement"] in ("duet", "block") and d["pairs"][0]["test"] in ("paired-t", "signed-rank", "sign")'
cp .out kept.json
json 'compare: a virtual machine is named once for all series' '[w["code"] for w in d["warnings"]] == ["virtual-machine"]'
like 'compare: the text names the virtual machine' "$err" 'virtual machine \(kvm\)'
refuses 'compare: two names of the same experiment are rejected' 2 "'mine' and 'last' are the same experiment" etalon compare mine last
refuses 'compare: the same experiment twice is rejected' 2 'same experiment' etalon compare mine mine
etalon export -o native.json
exits 'compare: the native record of an experiment is accepted' 0 etalon compare native.json --json -
json 'compare: the native record gives the same result as the store' 'd["pairs"] == json.load(open("kept.json"))["pairs"]'
exits 'compare: --metric et succeeds' 0 etalon compare --metric et mine
etalon show --json >shown.json
cp kept.json .out
json 'compare: compare and show give the same result' '(lambda c: d["pairs"][0]["p"] == c["p"] and d["pairs"][0]["ratio"] == c["ratio"])(
	json.load(open("shown.json"))["comparisons"][0])'
cp native.json other.json
exits 'compare: two files with equal command names are accepted' 0 etalon compare native.json other.json --reference 1 --json -
json 'compare: equal command names get the name of their file' 'any("(other.json)" in s["name"] for s in d["samples"])
	and len(set(s["name"] for s in d["samples"])) == 4'
json 'compare: series of different files are independent, not paired' 'd["pairs"][1]["paired"] is None'
cat >hyperfine.json <<'END'
{ "results": [ { "command": "a", "times": [0.1, 0.11, 0.105, 0.102] }, { "command": "b", "times": [0.2, 0.21, 0.205, 0.202] } ] }
END
exits "compare: hyperfine's JSON is accepted" 0 etalon compare hyperfine.json --json -
json "compare: hyperfine's results become two series" 'd["pairs"][0]["a"] == "a" and d["pairs"][0]["b"] == "b" and 1.9 < d["pairs"][0]["ratio"]["estimate"] < 2.0'

# --- series without a test or a ratio
printf '5\n5\n5\n5\n' >flat
exits 'compare: a constant series is accepted' 0 etalon compare flat old --json -
json 'compare: a constant series is compared by ranks' 'd["pairs"][0]["test"] == "wilcoxon" and d["samples"][0]["shapiro"]["p"] is None'
cp flat flat2
exits 'compare: two constant series are accepted' 0 etalon compare flat flat2 --json -
json 'compare: an undefined p value is null and the verdict says so' 'd["pairs"][0]["p"] is None and not d["pairs"][0]["significant"] and "cannot" in d["pairs"][0]["verdict"]'
printf -- '-1\n-2\n-3\n-5\n' >negative
exits 'compare: negative numbers are accepted' 0 etalon compare negative old --json -
json 'compare: negative numbers have no ratio' 'd["pairs"][0]["ratio"]["estimate"] is None and d["pairs"][0]["significant"]'

# --- bad input
printf '1\n2\n' >two
printf '1\nx\n3\n' >text
: >empty
refuses 'compare: no operand is rejected' 2 'two series' etalon compare
refuses 'compare: a single series is rejected' 2 'two series' etalon compare old
refuses 'compare: the same file twice is rejected' 2 "same name 'old'" etalon compare old old
refuses 'compare: a series of 2 values is rejected' 2 "'two' has only 2 values: .* 3" etalon compare old two
refuses 'compare: a file with a word is rejected with its line' 2 "text: line 2: 'x'" etalon compare old text
refuses 'compare: an empty file is rejected' 2 'empty: it has no numbers' etalon compare empty old
refuses 'compare: a name that is neither a file nor an experiment is rejected' 2 "'nosuch' is neither" etalon compare old nosuch
for alpha in 0 1 -1 2 x nan; do
	refuses "compare: --alpha $alpha is rejected" 2 '--alpha' etalon compare --alpha $alpha old new
done
refuses 'compare: --reference 3 of two series is rejected' 2 '--reference' etalon compare --reference 3 old new
refuses 'compare: --reference 0 is rejected' 2 '--reference' etalon compare --reference 0 old new
refuses 'compare: --fail-on-regression=x is rejected' 2 'not a percentage' etalon compare --fail-on-regression=x old new
refuses 'compare: --fail-on-regression=-1 is rejected' 2 'below 0' etalon compare --fail-on-regression=-1 old new
refuses 'compare: an unknown --metric is rejected' 2 '--metric' etalon compare --metric wall old new
exits 'compare: a JSON file that cannot be written gives exit status 4' 4 etalon compare old new --json no/where
like 'compare: the error names the file that cannot be written' "$err" 'no/where: No such file'

done_testing
