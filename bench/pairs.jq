# SPDX-License-Identifier: GPL-3.0-or-later
# What bench/pairs found, from its lines of JSON: jq -rs -f pairs.jq FILE… prints a line per row of
# a table, claim and fact, with | between the fields. The truth is that of solo runs of three
# lengths: a program of u units takes a time in proportion to u + start.

def nan_if_null: if . == null then "nan" else . end;
def row: map(nan_if_null | tostring) | join("|");
def mean: if length == 0 then null else add / length end;
def median: sort | if length == 0 then null
	else (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2 end;
def variance: if length < 2 then null else mean as $m | map((. - $m) * (. - $m)) | add / (length - 1) end;
def standard_error: if length < 2 then null else (variance / length | sqrt) end;
def rms: if length == 0 then null else (map(. * .) | mean | sqrt) end;
def share(f): if length == 0 then null else (map(select(f)) | length) / length end;
def per(a; b): if a == null or b == null or b == 0 then null else a / b end;
def sign: if . < 0 then -1 else 1 end;
def round_to(d): if . == null then null else . * d | round / d end;

# Straight line through points [x, y]: intercept and slope with their standard errors.
def line:
	length as $n | (map(.[0]) | mean) as $mx | (map(.[1]) | mean) as $my |
	(map((.[0] - $mx) * (.[0] - $mx)) | add) as $sxx |
	if $n < 3 or $sxx == 0 then null else
		((map((.[0] - $mx) * (.[1] - $my)) | add) / $sxx) as $slope |
		($my - $slope * $mx) as $intercept |
		(map(.[1] - $intercept - $slope * .[0]) | map(. * .) | add / ($n - 2)) as $variance |
		{ $intercept, $slope, slope_error: ($variance / $sxx | sqrt),
			intercept_error: ($variance * (1 / $n + $mx * $mx / $sxx) | sqrt) } end;

def solo: map((.at[2] - .at[0]) / (.ns[2] - .ns[0]) * .ns[1] - .at[1]);

def truths: map(select(.case == "truth")) | group_by(.kind) | map({ key: .[0].kind, value: {
		start: (solo | mean), start_error: (solo | standard_error),
		units: (map(.at[1]) | mean), ns: (map(.ns[1]) | mean),
		bend: (map((.ns[2] - .ns[1]) / (.ns[1] - .ns[0]) * (.at[1] - .at[0]) / (.at[2] - .at[1])) | median)
	} }) | from_entries;

def rms_pair: { ours: (map(select(.tool == "etalon") | .estimate - .truth) | rms),
	theirs: (map(select(.tool == "hyperfine") | .estimate - .truth) | rms) };

def identical:
	if length == 0 then empty else
	"say|identical programs",
	"say|kind         of  different  equal  covered  pairs  wall time    rms of the log ratio: hyperfine",
	(group_by(.kind)[] | rms_pair as $rms | .[0].kind as $kind | map(select(.tool == "etalon")) |
		["kinds", $kind, length, (map(select(.wrong)) | length),
			(map(select(.decision == "equal")) | length), (map(select(.covered)) | length),
			(map(.pairs) | median), (map(.seconds) | median), $rms.ours, $rms.theirs] | row),
	(map(select(.tool == "etalon")) | "\(length) comparisons" as $note |
		(["claim", "identical programs called different", "<=", 0.05, share(.wrong), $note],
		["claim", "identical programs called equal within 1 %", ">=", 0.9, share(.decision == "equal"), $note],
		["claim", "intervals about identical programs that contain 1", ">=", 0.93, share(.covered), $note]) | row),
	(rms_pair | select(.theirs != null) |
		["claim", "rms of the log ratio / hyperfine, identical programs", "<=", 0.05,
			per(.ours; .theirs), "\(.ours | round_to(1e5)) and \(.theirs | round_to(1e5))"] | row)
	end;

def different($case; $words; $most):
	map(select(.case == $case)) | if length == 0 then empty else
	(map(select(.tool == "etalon")) |
		(["claim", "\($words) found within \($most) pairs", ">=", 0.9,
			share(.right and .pairs <= $most), "\(length) comparisons"],
		["claim", "\($words), decisions in the wrong direction", "<=", 0, (map(select(.wrong)) | length),
			"\(length) comparisons"],
		["fact", "\($words), median number of pairs", (map(.pairs) | median), ""],
		["fact", "\($words), intervals that contain the truth", share(.covered), ""]) | row),
	(rms_pair | select(.theirs != null) |
		["claim", "rms of the log ratio / hyperfine, \($words)", "<=", 0.05, per(.ours; .theirs),
			"\(.ours | round_to(1e5)) and \(.theirs | round_to(1e5))"] | row)
	end;

def wall:
	group_by(.kind) | map(select(map(.tool) | unique == ["etalon", "hyperfine"])) |
	map({ pair: (.[0].kind | gsub(" \\| "; ", ")), ours: (map(select(.tool == "etalon") | .seconds) | median),
		theirs: (map(select(.tool == "hyperfine") | .seconds) | median) }) |
	if length == 0 then empty else
	"say|usual pairs of commands                                           wall time  hyperfine",
	(sort_by(.ours / .theirs)[] | ["wall", .pair, .ours, .theirs] | row),
	((["claim", "median wall time of \(length) usual pairs / hyperfine", "<=", 1,
		per(map(.ours) | median; map(.theirs) | median),
		"\(map(.ours) | median | round_to(1e2)) s and \(map(.theirs) | median | round_to(1e2)) s"],
	["fact", "median of the ratios of wall times", (map(.ours / .theirs) | median), ""],
	["fact", "largest ratio of wall times", (map(.ours / .theirs) | max), ""]) | row)
	end;

# A cell is one kind with one difference and sign; its blocks have the same number of pairs.
def cells($truths): group_by([.kind, .difference]) | map(
	(map(.truth) | mean) as $truth | $truths[.[0].kind] as $t | {
		kind: .[0].kind, difference: .[0].difference, $truth, blocks: length,
		estimate: (map(.estimate) | mean), error: (map(.estimate) | standard_error),
		# how well the truth itself is known, in proportion
		doubt: (per($t.start_error; $t.units + $t.start) // 0) } |
	.bias = .estimate / .truth - 1 |
	.bias_error = (if .error == null then null else
		(pow(.error / .truth; 2) + pow(.doubt; 2) | sqrt) end));

def bias($truths):
	if length == 0 then empty else
	cells($truths) as $cells |
	"say|bias: kind, difference, truth, printed log ratio, its standard error, bias of the difference",
	($cells[] | ["bias", .kind, .difference, .truth, .estimate, .error, 100 * .bias,
		(if .bias_error == null then null else 100 * .bias_error end)] | row),
	($cells | group_by(.difference | fabs)[] |
		["claim", "difference of \(.[0].difference | fabs) %: printed / true", "within", 0.05,
			(map(.estimate / .truth) | mean),
			"± \(if any(.[]; .bias_error == null) then "?" else
				(map(pow(.bias_error; 2)) | add | sqrt) / length | round_to(1e4) end)"] | row),
	($cells | group_by(.kind)[] |
		["claim", "\(.[0].kind): differences with a bias beyond 5 % by two standard errors", "<=", 0,
			(map(select(.bias_error != null and (.bias | fabs) - 0.05 > 2 * .bias_error)) | length),
			"of \(length)"] | row),
	(group_by(.kind)[] | .[0].kind as $kind | $truths[$kind] as $t |
		(map([(.truth | fabs), .estimate * (.truth | sign)]) | line) as $line | select($line != null) |
		(["fact", "\($kind): constant in the log ratio, of small differences", $line.intercept,
			"± \($line.intercept_error | round_to(1e5)); \($line.intercept * $t.ns / 1e3 | round_to(10)) µs"],
		["fact", "\($kind): factor of differences beside it", $line.slope, "± \($line.slope_error | round_to(1e4))"],
		["fact", "\($kind): cost per unit of work, long / short", $t.bend,
			"1 if the truth is linear; known to ± \(100 * (per($t.start_error; $t.units + $t.start) // 0) | round_to(1e2)) %"]) | row)
	end;

truths as $truths |
map(select(.case != "truth")) | (map(select(.failed)) | length) as $failed | length as $all |
map(select(.failed | not)) |
map(if .units == null then .truth = 0 else $truths[.kind].start as $start |
	.truth = ((.units[1] + $start) / (.units[0] + $start) | log) end) |
map(if .tool == "etalon" and .lo != null then .covered = (.lo <= .truth and .truth <= .hi) |
	.right = (.decision == (if .truth > 0 then "slower" elif .truth < 0 then "faster" else "equal" end)) |
	.wrong = ((.decision == "slower" and .truth <= 0) or (.decision == "faster" and .truth >= 0))
	else . end) |
(map(select(.estimate != null)) |
	(map(select(.case == "same")) | identical),
	different("half"; "0.5 % slower"; 400),
	different("one"; "1 % slower"; 150)),
(map(select(.case == "wall")) | wall),
(map(select(.case == "bias" and .estimate != null)) | bias($truths)),
(["claim", "comparisons that failed", "<=", 0, $failed, "of \($all)"] | row)
