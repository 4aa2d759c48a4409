#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon report`, `run --report` and `daemons --report`: self-contained pages, whatever names they
# show. They are read by the parser of Python and shown by a browser if one is installed.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cat >page.py <<'PY'
"""What a page holds: page.py FILE EXPRESSION; p has its text, tags, titles, links and figures."""
import html.parser, re, sys

VOID = {"meta", "br"}

class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.tags, self.titles, self.text = [], {}, [], ""
        self.links, self.policy, self.figures, self.marks = [], None, 0, 0

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags[tag] = self.tags.get(tag, 0) + 1
        assert not any(name.startswith("on") for name in attrs), attrs
        self.links += [v for k, v in attrs.items() if k in ("src", "href", "srcset", "data", "action")]
        if attrs.get("http-equiv") == "Content-Security-Policy":
            self.policy = attrs["content"]
        self.figures += tag == "svg" and attrs.get("role") == "img"
        if tag == "path" and "d" in attrs:
            assert re.fullmatch(r"[MmHhVvLlz0-9. -]*", attrs["d"]), attrs["d"]
            self.marks += len(re.findall("M", attrs["d"]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, (tag, self.getpos())

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            assert "url(" not in data and "@import" not in data
        elif self.open and self.open[-1] == "title":
            self.titles.append(data)
        else:
            self.text += data

p = Page()
p.feed(open(sys.argv[1], encoding="utf-8").read())
p.close()
assert not p.open, p.open
assert p.policy and "default-src 'none'" in p.policy and "script-src" not in p.policy
assert not p.links and "script" not in p.tags, (p.links, p.tags)
assert not re.search(r"\b(nan|inf)\b", p.text)
assert eval("(" + sys.argv[2] + ")"), (sys.argv[2], p.tags, p.titles[:9], p.text[:2000])
PY

# page NAME FILE EXPRESSION
page()
{
	ok "$1" python3 page.py "$2" "$3"
}

"$KEEP_SPECIMEN" "$ETALON_STORE" made || exit 1
exits 'report: a stored experiment is written as a page' 0 etalon report -o made.html made
is 'report: -o prints nothing' "$out$err" ''
page 'report: the page has the figures and a picture per command' made.html \
	'"gzip -k -9 -f data" in p.text and p.figures >= 2 and p.tags["table"] >= 2'
page 'report: a name with control characters is shown as text' made.html '"a|b,\"c\"␊␛[31m" in p.text'
etalon report made >out.html
ok 'report: the page on stdout is the same' cmp made.html out.html
etalon export --format html made >out.html
ok 'export: --format html writes the same page' cmp made.html out.html
refuses 'report: an unknown experiment is rejected' 2 'nobody' etalon report nobody
refuses 'report: a page below a missing folder gives exit status 4' 4 'no/such.html' etalon report -o no/such.html made

# Two commands, one with markup in its name, and enough samples for a forest plot and for pairs.
evil="</title><script src='http://127.0.0.1:9/'></script><img src=x onerror=alert(1)>"
exits 'run --report: it succeeds' 0 etalon run -q -r 12 --label pair --report pair.html \
	-n sort 'etalon put sort --size 500' -n "$evil" 'etalon put sort --size 9000'
page 'run --report: the page has comparison, samples, distribution and pairs' pair.html \
	'p.figures >= 7 and p.tags.get("img") is None and "Ratio to the reference" in p.titles'
page 'run --report: the page shows a name with markup in full' pair.html '"onerror=alert(1)>" in p.text'
etalon report -o again.html pair
ok 'report: the page of an experiment is the same as that of run --report' cmp pair.html again.html
exits 'run --report: it succeeds without -q' 0 etalon run -r 2 --report told.html true
like 'run --report: the text names the page' "$out" 'page written to told.html'
if python3 -c 'import pty' 2>/dev/null; then
	is 'report: a page is not written to a terminal' "$(python3 -c 'import os, pty
pty.spawn(["etalon", "report", "pair"])' | tr -d '\r' | head -n 1)" 'etalon: a page is not for a terminal'
else
	skip 'report: a page is not written to a terminal' 'python3 has no pty'
fi
exits 'run --report -: it succeeds' 0 etalon run -r 2 --report - true
like 'run --report -: the page goes to stdout' "$out" '^<!DOCTYPE html>'
like 'run --report -: the result goes to stderr' "$err" 'CPU time'
refuses 'run --report: a page that cannot be written is rejected' 4 'no/page.html' \
	etalon run --report no/page.html 'touch ran'
ok 'run --report: a page that cannot be written is rejected before the first run' test ! -e ran
# A plain file is replaced; a file with two names or reached by a symbolic link is written in place.
ln pair.html second.html && ln -s again.html link.html && chmod 640 again.html
etalon report -o pair.html made && etalon report -o link.html made
ok 'report: a file with two names is written under both' cmp pair.html second.html
is 'report: a symbolic link and the mode of its target are kept' "$(readlink link.html) $(stat -c %a again.html)" 'again.html 640'
ok 'report: the target of a symbolic link is written' cmp again.html made.html
rm second.html
# As on a full disk, the old page stays.
echo old >full.html
exits 'report: a page that does not fit gives exit status 4' 4 bash -c 'ulimit -f 8; etalon report -o full.html made'
is 'report: a page that does not fit leaves the old file as it was' "$(cat full.html)" old
is 'report: a page that does not fit leaves no temporary file' "$(find . -name '*.html.*')" ''
exits 'run --report: it replaces a longer page' 0 etalon run -q -r 2 --report pair.html true
page 'run --report: nothing of the longer page is left' pair.html '"onerror" not in p.text'

# Elapsed times of 100 and 101 ms in turn, CPU times of 50 ms and a little.
python3 - >sleepy.json <<'PY'
import json, sys
samples = [{"index": i, "order": i, "round": i, "arrangement": "solo", "exit_code": 0, "et_ns": 10**8 + i % 2 * 10**6,
            "pt_ns": 5 * 10**7 + 10**4 * i} for i in range(1, 11)]
json.dump({"etalon": 1, "id": "sleepy", "protocol": "raw", "metric": "pt", "commands":
           [{"name": "sleepy", "command": "sleepy", "argv": ["sleepy"], "samples": samples}]}, sys.stdout)
PY
etalon import -q sleepy.json >/dev/null
etalon report -o cpu.html sleepy
page 'report: samples in order by both times, pairs by elapsed time' cpu.html \
	'"judged by CPU time" in p.text and "Samples in order: elapsed time" in p.titles and
	"Samples in order: CPU time" in p.titles and "elapsed time of the first of a pair" in p.text'
exits 'report --metric et: it succeeds' 0 etalon report --metric et -o et.html sleepy
page 'report --metric et: elapsed time is judged' et.html '"judged by elapsed time" in p.text'
exits 'report --metric pt: it succeeds' 0 etalon report --metric pt -o pt.html sleepy
page 'report --metric pt: the pairs are of CPU time' pt.html '"CPU time of the first of a pair" in p.text'
exits 'report --metric auto: it succeeds' 0 etalon report --metric auto -o auto.html sleepy
page 'report --metric auto: a program that waits is judged by elapsed time' auto.html '"judged by elapsed time" in p.text'
refuses 'report --metric: an unknown metric is rejected' 2 'rss' etalon report --metric rss -o no.html sleepy
exits 'report --align: several experiments make one page' 0 etalon report --align -o both.html sleepy made
page 'report --align: the page has both' both.html \
	'"2 experiments" in p.titles and "sleepy" in p.text and "gzip -k -9 -f data" in p.text'
refuses 'report: an unknown experiment beside others is rejected' 2 'nobody' etalon report -o no.html sleepy nobody
ok 'report: a rejected request writes no page' test ! -e no.html

# Python computes the heights of the bars of 40 numbers, too.
seq 40 | awk '{ print 1 + ($1 * 37 % 101) / 100 + ($1 % 2) / 4 }' >numbers
etalon import -q --label numbers numbers >/dev/null
etalon report -o numbers.html numbers
ok 'report: distribution and autocorrelation have the heights that Python computes' python3 - numbers numbers.html <<'PY'
import re, sys
x = [float(line) for line in open(sys.argv[1])]
page = open(sys.argv[2], encoding="utf-8").read()
def bars(title):
    svg = page[page.index("<title>" + title):]
    group = re.search(r'<svg x=.*?class="c0 br">\s*<path d="([^"]*)"', svg, re.S).group(1)
    return [float(b) - float(y) for y, b in re.findall(r"M\S+ ([0-9.]+)H[0-9.]+V([0-9.]+)", group)]
n, mean = len(x), sum(x) / len(x)
acf = [sum((a - mean) * (b - mean) for a, b in zip(x, x[k:])) for k in range(1, n // 2 + 1)]
got = bars("Autocorrelation")
assert len(got) == len(acf)
top = max(map(abs, acf))
scale = [g for g, r in zip(got, acf) if abs(r) == top][0] / [r for r in acf if abs(r) == top][0]
assert all(abs(g - r * scale) < 0.5 for g, r in zip(got, acf)), (got, acf)
got = bars("Distribution")
count = [0] * len(got)
for v in x:
    count[min(len(got) - 1, int((v - min(x)) / (max(x) - min(x)) * len(got)))] += 1
assert len(got) > 3 and all(abs(g / max(got) - c / max(count)) < 0.01 for g, c in zip(got, count))
PY

# Daemons on the arms of the L-shape, one of them with markup in its name.
python3 - >all.json <<'PY'
import json, random, sys
r = random.Random(1)
hits = {77: ("cronjob", 700), 200: ("cronjob", 720), 323: ("cronjob", 690), 150: ("<b>&amp;", 80)}
samples = []
for i in range(1, 402):
    t, pt = r.lognormvariate(1, 0.7), [["java", 3]]
    if i in hits:
        t += hits[i][1]
        pt.append(list(hits[i]))
    samples.append({"sample": i, "et_ms": 1050 + t, "pt_ms": 1000 + t, "pt": pt})
json.dump({"short_run": {"samples": 401, "sample_seconds": 1, "all": samples}}, sys.stdout)
PY
exits 'daemons analyse --report: it succeeds' 0 etalon daemons analyse --report daemons.html all.json
like 'daemons analyse --report: the text is still printed' "$out" 'samples spoilt'
page 'daemons analyse --report: the page has four pictures' daemons.html \
	'p.figures == 4 and all(sum(x in t for t in p.titles) == 1 for x in
	("(a): all 200 pairs", "(b): 197 pairs up to", "(c): central cluster, 196 pairs", "Samples in order"))'
page 'daemons analyse --report: the axes are the elapsed times of odd and even samples' daemons.html \
	'p.text.count("elapsed time of odd samples") == 3 == p.text.count("elapsed time of even samples")'
# Each of four L-samples is in one pair; three are beyond the second picture, and all in the first chart.
page 'daemons analyse --report: the points on the arms are named by daemon' daemons.html \
	'sum(t.count("cronjob 7") + t.count("cronjob 6") for t in p.titles) == 3 + 3 and
	sum("<b>&amp; 80" in t for t in p.titles) == 1 + 2'
page 'daemons analyse --report: no point is missing' daemons.html 'p.marks > 401 + 200 + 197 + 196'
page 'daemons analyse --report: the table lists the removed samples' daemons.html '"<b>&amp; 80.0 ms" in p.text and "yes" in p.text'
exits 'daemons analyse --report -: it succeeds' 0 etalon daemons analyse --report - all.json
is 'daemons analyse --report -: stdout has the page and nothing else' "$(cmp - daemons.html <<<"$out")" ''
refuses 'daemons analyse: --json with --report - is rejected' 2 '--json and --report -' \
	etalon daemons analyse --json --report - all.json
refuses 'daemons analyse --report: a page below a missing folder gives exit status 4' 4 'no/page.html' etalon daemons analyse --report no/page.html all.json
exits 'daemons analyse --svg: it succeeds' 0 etalon daemons analyse -q --svg daemons.svg all.json
ok 'daemons analyse --svg: one file with the samples in order and three zooms of 200 pairs' python3 - daemons.svg <<'PY'
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
titles = [t.text for t in root.iter("{http://www.w3.org/2000/svg}title")]
assert "Samples in order" in titles and "Dual execution (a): all 200 pairs" in titles
assert sum(t.startswith("Dual execution") for t in titles) == 3
assert sum("<b>&amp; 80" in t for t in titles) == 3
PY
refuses 'daemons analyse --svg -: it is rejected' 2 'standard output' etalon daemons analyse --svg - all.json
refuses 'daemons show --svg: it is rejected' 2 'daemons show takes no --svg' etalon daemons show --svg no.svg
refuses 'daemons analyse --svg: a file below a missing folder gives exit status 4' 4 'no/such.svg' \
	etalon daemons analyse --svg no/such.svg all.json
golden=$root/tests/golden/emp-daemons.json
# The L-samples of the papers, with elapsed times of 128.250 s, sd 2.5 ms, and what their daemons used: Figure 14.
python3 - "$golden" >inc128.json <<'PY'
import json, random, sys
r = random.Random(7)
hit = {s["sample"]: s["pt"] for s in json.load(open(sys.argv[1]))["short_run"]["l_samples"]}
usual = ("java", "proc_monitor", "cifs", "kblockd/0")
def sample(i):
    ms = 128250 + round(r.gauss(0, 2.5))
    pt = hit.get(i, [["java", 3], ["proc_monitor", 200]])
    return {"sample": i, "et_ms": ms + sum(t for name, t in pt if name not in usual), "pt_ms": ms - 1, "pt": pt}
json.dump({"short_run": {"samples": 800, "sample_seconds": 128.25, "all": [sample(i) for i in range(1, 801)]}}, sys.stdout)
PY
etalon daemons analyse -q --svg inc128.svg --report inc128.html inc128.json >/dev/null
page "daemons analyse --report: the page has the papers' tables" inc128.html \
	'"Table IX:" in p.text and "rhn_check 35176" in p.text and "Table XVIII:" in p.text and "41 (=16+25) / 800" in p.text'
ok "daemons analyse --svg: the papers' L-samples make Figure 14 (a) to (d)" python3 - inc128.svg "$golden" <<'PY'
import json, sys, xml.etree.ElementTree as tree
ns = "{http://www.w3.org/2000/svg}"
zooms = {}
for chart in tree.parse(sys.argv[1]).getroot().iter(ns + "svg"):
    title = chart.findtext(ns + "title") or ""
    if title.startswith("Dual execution ("):
        zooms[title[16]] = (title, chart, chart.find(ns + "svg"))
points = {k: sum(p.get("d").count("M") for g in inner for p in g.iter(ns + "path") if "pt" in g.get("class"))
          for k, (_, _, inner) in zooms.items()}
assert points == {"a": 400, "b": 398, "c": 392, "d": 384}, points
far = sorted(int(word.split(",")[0].split()[1]) for t in zooms["a"][2].iter(ns + "title") for word in t.text.split("; ") if ": " in word)
assert far == [s["sample"] for s in json.load(open(sys.argv[2]))["short_run"]["l_samples"]], far
def ticks(k, anchor):
    return [t.text for t in zooms[k][1].iter(ns + "text") if t.get("text-anchor") == anchor and "transform" not in t.keys()]
assert float(ticks("a", "end")[-1]) >= 160, ticks("a", "end")
for k in zooms:
    for anchor in ("end", "middle"):
        assert len(set(ticks(k, anchor))) == len(ticks(k, anchor)) > 2, ticks(k, anchor)
PY
exits 'daemons analyse --report: a record without times is accepted' 0 \
	etalon daemons analyse -q --keep --report golden.html "$golden"
page 'daemons analyse --report: the page of a record without times says so' golden.html \
	'p.figures == 0 and "nothing to draw" in p.text and "rhn_check" in p.text'
# 12 samples of 1 ms, kept by protocol raw; rhn_check used 600 ms in the fifth, where its cutoff is 281 ms.
etalon run -q -r 12 -w 0 --protocol raw --no-probe --json raw.json true >/dev/null
python3 - >spoilt.json <<'PY'
import json, sys
record = json.load(open("raw.json"))
record.update(id="spoilt", label="spoilt")
for s in record["commands"][0]["samples"]:
    s.update(et_ns=10**6 + s["index"] * 100, pt_ns=10**6 + s["index"] * 100, user_ns=10**6, system_ns=0, interference=[])
    if s["index"] == 5:
        s["interference"] = [{"name": "rhn_check", "pid": 77, "kernel_thread": False, "pt_ns": 600000000}]
json.dump(record, sys.stdout)
PY
etalon import -q spoilt.json >/dev/null
etalon report -o kept.html spoilt
etalon export -f html -o exported.html spoilt
ok 'export: the page of an experiment is that of report' cmp kept.html exported.html
page 'report: no sample of protocol raw is removed' kept.html '"check I" not in p.text'
exits 'report --rejudge: it succeeds' 0 etalon report --rejudge -o rejudged.html spoilt
page 'report --rejudge: the stored cutoffs remove a sample, in the charts of both times and in a table' rejudged.html \
	'p.text.count("check I: daemon-cutoff") == 2 and "rhn_check used 600.0 ms, its cutoff is 281.0 ms" in p.text and
	"done with 10 cutoffs" in p.text and "samples removed: 1. Sanity check II" in p.text'
etalon report -o again.html spoilt
ok 'report --rejudge: the stored experiment stays as it is' cmp kept.html again.html
exits 'daemons show --report: it succeeds' 0 etalon daemons show --report kept.html
page 'daemons show --report: the page lists the cutoffs' kept.html '"rhn_check" in p.text and "281" in p.text'

# --- in a browser ---

browser=$(command -v chromium || command -v chromium-browser || true)
browse()
{
	timeout 90 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync \
		--disable-dev-shm-usage --user-data-dir="$work/profile" "$@" 2>/dev/null
}

if [ -z "$browser" ]; then
	skip 'report: a browser shows the page' 'no chromium'
	skip 'report: a page fetches nothing' 'no chromium'
	done_testing
fi

# A server on this machine that records requests.
cat >server.py <<'PY'
import http.server, sys
class Hit(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        open("hits", "a").write(self.path + "\n")
        self.send_error(404)
    def log_message(self, *args):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Hit)
open("port.new", "w").write(str(server.server_port))
import os; os.rename("port.new", "port")
server.serve_forever()
PY
python3 server.py &
wait_until '[ -e port ]'
url=http://127.0.0.1:$(cat port)
etalon run -q -r 5 --report wild.html -n "<img src=$url/name>" true >/dev/null
browse --dump-dom "file://$work/daemons.html" >dom.html
ok 'report: a browser shows the page' python3 - dom.html <<'PY'
import re, sys
dom = open(sys.argv[1], encoding="utf-8").read()
assert dom.count('role="img"') == 4 and dom.count("</figure>") == 4
assert dom.count("<title>sample") == 4 + 1 + 4 and "&lt;b&gt;&amp;amp; 80" in dom
assert not re.search(r"<(b|script|parsererror)\b", dom)
PY
# Markup in a name is not fetched; the policy would prevent that even if the name were not escaped.
sed "s|</main>|<img src=\"$url/forgotten\"></main>|" wild.html >forgotten.html
sed "s|</main>|<img src=\"$url/control\"></main>|; /Content-Security-Policy/d" wild.html >control.html
for name in wild forgotten control; do
	browse --dump-dom "file://$work/$name.html" >/dev/null
done
is 'report: a page fetches nothing unless its policy is removed' "$(cat hits 2>/dev/null)" /control
done_testing
