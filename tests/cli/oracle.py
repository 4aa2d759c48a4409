# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the figures of `etalon describe` and `compare` with those of R (tests/oracle).

Usage: oracle.py ORACLE.jsonl; the binary is $ETALON. Prints the differences; exit 1 if there are any.
"""
import json
import math
import os
import subprocess
import sys

etalon = os.environ["ETALON"]
compared = different = 0


def run(*args, text=None):
    done = subprocess.run([etalon, *args], input=text, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(" ".join(args) + ": " + done.stderr)
    return json.loads(done.stdout)


def check(case, what, got, want, rel):
    global compared, different
    if isinstance(want, list):
        for i, w in enumerate(want):
            check(case, f"{what}[{i}]", got[i] if got else None, w, rel)
        return
    compared += 1
    if want in (None, "NaN", "NA", "Inf", "-Inf"):
        same = got is None
    else:
        same = got is not None and (got == want or math.isclose(got, want, rel_tol=rel, abs_tol=1e-12))
    if not same:
        different += 1
        print(f"{case} {what}: got {got}, want {want}")


def describe(case, x, want):
    d = run("describe", "--json", "--bootstrap", "0", "--lag", "5", "-", text="".join(f"{v!r}\n" for v in x))
    rows = {"n": d["n"], "mean": d["mean"], "sd": d["sd"], "median": d["median"], "iqr": d["iqr"], "rsd": d["relative_error"],
            "u_typeA": d["sd"] / d["n"] ** 0.5,
            "skewness_g1": d["skewness"], "mean_ci95_t": d["student_t"],
            "sd_ci95_chisq": d["sd_interval"]["chi2"], "acf_band95": d["acf_band"]}
    for key, got in rows.items():
        if key in want:
            check(case, key, got, want[key], 1e-9)
    # Far from zero, R itself has lost digits.
    rel = 1e-5 if "huge_offset" in case else 1e-6
    for key, got in {"shapiro.W": d["shapiro"]["w"], "shapiro.p": d["shapiro"]["p"], "mann_kendall.p": d["mann_kendall"]["p"],
                     "ljung_box_5.X2": d["ljung_box"]["q"], "ljung_box_5.p_accurate": d["ljung_box"]["p"],
                     "dip.D": d["dip"]["d"], "dip.p_table": d["dip"]["p"]}.items():
        outer, inner = key.split(".")
        if outer in want and inner in want[outer]:
            check(case, key, got, want[outer][inner], rel)
    if "acf" in want and len(want["acf"]) >= 5:
        check(case, "acf", d["acf"], want["acf"][:5], 1e-6)


def compare(case, x, y, want):
    for name, values in (("x", x), ("y", y)):
        with open(name, "w") as f:
            f.writelines(f"{v!r}\n" for v in values)
    p = run("compare", "x", "y", "--json", "-")["pairs"][0]
    if p["test"] == "wilcoxon":
        check(case, "W", p["statistic"], want["W"], 1e-9)
    else:
        t = want["t_equal" if p["test"] == "student" else "t_welch"]
        check(case, "F", p["f_test"]["f"], want["var_test"]["F"], 1e-9)
        check(case, "t", p["statistic"], t["t"], 1e-6)
        check(case, "df", p["df"], t["df"], 1e-6)
        check(case, "p", p["p"], t["p"], 1e-6)
    check(case, "cliff_delta", p["cliff_delta"], -want["cliff_delta"], 1e-9)


for line in open(sys.argv[1]):
    c = json.loads(line)
    if c["kind"] == "one_sample" and len(c["input"]["x"]) >= 2 and len(set(c["input"]["x"])) > 1:
        describe(c["id"], c["input"]["x"], c["expect"])
    elif c["kind"] == "two_sample" and min(len(c["input"]["x"]), len(c["input"]["y"])) >= 3:
        compare(c["id"], c["input"]["x"], c["input"]["y"], c["expect"])
print(f"{compared} figures, {different} differ")
sys.exit(different > 0 or compared < 1000)
