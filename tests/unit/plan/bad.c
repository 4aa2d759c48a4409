/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plan files that are refused: exit 2, the place, the reason, and a hint where there is a cure. */
#include "read_plan.h"

#define HEAD "name: n\nprograms: [{ name: p, command: 'c {a}' }]\n"
#define A "{ name: a, kind: parameter, levels: [1, 2] }"
#define GOOD HEAD "factors:\n- " A "\n"

static const struct {
	const char *text, *what, *hint;
} bad[] = {
	/* YAML */
	{ "", "p:1:1: the file has no plan in it", "run 'etalon doe init' for an example" },
	{ "# nothing\n", "p:1:1: the file has no plan in it", NULL },
	{ "name: [1\n", "p:1:7: not valid YAML: the [ that begins here is not closed",
		"add a ] at its end" },
	{ "name: n\n\tx: 1\n",
		"p:2:1: not valid YAML: found a tab character that violates indentation",
		"indent with spaces: YAML allows no tabs there" },
	{ "name: a: b\n", "p:1:8: not valid YAML: mapping values are not allowed in this context",
		"quote a text that has ': ' in it" },
	/* mistakes of beginners */
	{ "name: n\nprograms:\n  - name: p\n    command: {build}/mm {a}  # x\n",
		"p:4:21: not valid YAML: did not find expected key",
		"quote a value that begins with {: command: '{build}/mm {a}'" },
	{ "name: n\nprograms: [{ name: p, command: {build}/mm {a} }]\n",
		"p:2:39: not valid YAML: ", "quote a value that begins with {: command: '" },
	{ "name: n\nprograms: [{ name: p, command: {a} }]\n",
		"p:2:32: command must be a single value, not a map", "quote it: '{a}'" },
	{ "name: n\nprograms:\n  - name: p\n     command: c\n",
		"p:4:13: not valid YAML: mapping values are not allowed in this context",
		"indent 'command' by as many spaces as the keys beside it" },
	{ "name: n\nprograms:\n  - name: p\n   command: c\n",
		"p:4:4: not valid YAML: did not find expected '-' indicator",
		"indent 'command' by as many spaces as the keys beside it, or begin the line with "
		"'- '" },
	{ "name: n\nprograms:\n    name: p\n    command: c\n",
		"p:3:5: programs must be a list, not a map",
		"begin each item of the list with '- '" },
	{ "name: n\nprograms:\n  - name: p\n    command: 'c {a}\nfactors: [" A "]\n",
		"p:4:14: not valid YAML: the quote that begins here is not closed",
		"add the same quote at its end" },
	{ "name: n\nprograms:\n  - name: p\n    command: 'c {a}\n    build: 'b {a}'\n",
		"p:4:14: not valid YAML: the quote that begins here ends only in line 5",
		"close the quote at the end of its line" },
	{ GOOD "response:et\n", "p:5:1: not valid YAML: could not find expected ':'",
		"put a space after the colon: response: et" },
	{ GOOD "response:et\norder: random\n", "p:5:1: not valid YAML: could not find expected ':'",
		"put a space after the colon: response: et" },
	{ HEAD "factors:\n- name: a\n  kind: parameter\n  levels: [%100, 2]\n",
		"p:6:12: not valid YAML: found character that cannot start any token",
		"quote a text that begins with %: '%100'" },
	{ "name: @a b # c\n", "p:1:7: not valid YAML: found character that cannot start any token",
		"quote a text that begins with @: '@a b'" },
	{ "name: [\"a\" b]\n", "p:1:12: not valid YAML: did not find expected ',' or ']'",
		"put a comma between two values" },
	{ "name: 'a' b\n", "p:1:11: not valid YAML: did not find expected key",
		"quote the whole value, or none of it" },
	{ HEAD "factors: [{ name: a, kind: parameter, levels: '1, 2' }]\n",
		"p:3:47: levels must be a list, not a text", "write it as a list: [1, 2]" },
	{ GOOD "blocks: round\n", "p:5:1: a plan has no key 'blocks'",
		"write design: { blocks: round }" },
	{ GOOD "between: sync\n", "p:5:1: a plan has no key 'between'",
		"write hooks: { between: sync }" },
	{ "name: a\xff\n", "p:1:8: not valid UTF-8 (byte 0xff)", "save the file as UTF-8" },
	{ "name: é\xc3\n", "p:1:8: not valid UTF-8 (byte 0xc3)", NULL },
	{ "name: \x01\n", "p:1:7: not valid YAML: control characters are not allowed (0x01)",
		NULL },
	{ "name: \"a\\0b\"\n", "p:1:7: a text cannot have a 0 byte", NULL },
	{ "a: &x [1]\nb: [*x, *x]\n", "p:2:5: plan files have no aliases, as *x is one",
		"write the value out" },
	{ "<<: {}\n", "p:1:1: plan files have no merge keys (<<)", "write the keys out" },
	{ "name: !!str 5\n", "p:1:7: plan files have no tags, as tag:yaml.org,2002:str is one",
		NULL },
	{ GOOD "hooks: { reboot: r }\n",
		"p:5:18: reboot needs 'order: yates': any other order would restart the machine "
		"before every run",
		"write 'order: yates', or use the hook 'between'" },
	{ GOOD "hooks: { between: 'x {b}' }\n", "p:5:19: between: there is no factor for {b}",
		NULL },
	{ GOOD "hooks: { between: 'x {build}' }\n",
		"p:5:19: between: there is no factor for {build}", NULL },
	{ GOOD "---\nname: b\n", "p:5:1: a second document begins",
		"put each plan into a file of its own" },
	{ "x: [[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]\n", "p:1:19: nested more than 16 deep", NULL },
	{ "name: n\nname: m\n", "p:2:1: 'name' is given twice", "omit one of them" },
	{ "{a: 1}: 2\n", "p:1:1: a key must be a word", NULL },
	{ "- a\n", "p:1:1: a plan must be a map, not a list", NULL },
	{ "text\n", "p:1:1: a plan must be a map, not a text", NULL },
	/* keys */
	{ "nmae: n\n", "p:1:1: a plan has no key 'nmae'", "did you mean 'name'?" },
	{ "name: n\n", "p:1:1: a plan has no 'programs'",
		"add 'programs: …': programs to measure" },
	{ "name:\n", "p:1:6: name is empty: a value is needed", NULL },
	{ "name: ~\n", "p:1:7: name is empty: a value is needed", NULL },
	{ "name: [a]\n", "p:1:7: name must be a single value, not a list", NULL },
	{ "name: ' '\n", "p:1:7: name is empty", NULL },
	{ "name: last\n", "p:1:7: name: 'last' is reserved for the newest experiment", NULL },
	{ "name: \"a\\x1b[31m\"\n", "p:1:7: name must be one line without control characters",
		NULL },
	/* programs */
	{ "name: n\nprograms: []\n", "p:2:11: programs is an empty list", NULL },
	{ "name: n\nprograms: {}\n", "p:2:11: programs must be a list, not a map", NULL },
	{ "name: n\nprograms: [x]\n", "p:2:12: a program must be a map, not a text", NULL },
	{ "name: n\nprograms: [{ name: p }]\n", "p:2:12: a program has no 'command'", NULL },
	{ "name: n\nprograms:\n- { name: p, command: c }\n- { name: p, command: c }\n",
		"p:4:11: there are two programs named 'p'", NULL },
	{ "name: n\nprograms: [{ name: p, comand: c }]\n", "p:2:23: a program has no key 'comand'",
		"did you mean 'command'?" },
	/* factors */
	{ HEAD "factors: [{ name: 1a, kind: parameter, levels: [1, 2] }]\n",
		"p:3:19: '1a' cannot name a factor: use letters, digits, _ and -", NULL },
	{ HEAD "factors: [{ name: build, kind: parameter, levels: [1, 2] }]\n",
		"p:3:19: a factor cannot be named 'build'", NULL },
	{ HEAD "factors: [" A ", " A "]\n", "p:3:65: there are two factors named 'a'", NULL },
	{ HEAD "factors: [{ name: a, kind: parametre, levels: [1, 2] }]\n",
		"p:3:28: there is no kind of factor 'parametre'", "did you mean 'parameter'?" },
	{ HEAD "factors: [{ name: a, kind: parameter, levels: [1] }]\n",
		"p:3:47: factor 'a' has one level; it needs two or more to be varied",
		"add a level, or write the value into the command" },
	{ HEAD "factors: [{ name: a, kind: parameter, levels: 1 }]\n",
		"p:3:47: levels must be a list, not a text", NULL },
	{ HEAD "factors: [{ name: a, kind: parameter, levels: [1, 1] }]\n",
		"p:3:51: level '1' is given twice", NULL },
	{ HEAD "factors: [{ name: a, kind: parameter, levels: [1, [2]] }]\n",
		"p:3:51: a level must be a single value", NULL },
	{ HEAD "factors: [{ name: a, kind: parameter, levels: [1, null] }]\n",
		"p:3:51: a level is empty", "quote it if it is a text: \"null\"" },
	{ HEAD "factors: [{ name: a, kind: parameter, variable: X, levels: [1, 2] }]\n",
		"p:3:49: kind parameter has no variable", NULL },
	{ HEAD "factors: [{ name: a, kind: parameter, objects: x, levels: [1, 2] }]\n",
		"p:3:48: kind parameter has no objects", NULL },
	{ HEAD "factors: [" A ", { name: t, kind: threads, levels: [1, 0] }]\n",
		"p:3:95: threads: ", NULL },
	{ HEAD "factors: [" A ", { name: t, kind: threads, levels: [1, 2x] }]\n",
		"p:3:95: threads: ", NULL },
	{ HEAD "factors: [" A ", { name: t, kind: nice, levels: [0, 20] }]\n",
		"p:3:92: nice: ", NULL },
	{ HEAD "factors: [" A ", { name: s, kind: environment-size, levels: [0, 100001] }]\n",
		"p:3:104: environment-size: ", NULL },
	{ HEAD "factors: [" A ", { name: t, kind: aslr, levels: [on, of] }]\n",
		"p:3:93: aslr: there is no level 'of'", "use on or off" },
	{ HEAD "factors: [" A ", { name: t, kind: affinity, levels: [none, scattr] }]\n",
		"p:3:99: affinity: there is no level 'scattr'", "did you mean 'scatter'?" },
	{ HEAD "factors: [" A ", { name: e-v, kind: environment, levels: [x, y] }]\n",
		"p:3:57: factor 'e-v' of kind environment has no 'variable'", NULL },
	{ HEAD "factors: [" A ", { name: e, kind: environment-name, levels: [ab, abc] }]\n",
		"p:3:105: environment-name: 'ab' and 'abc' are not of equal length", NULL },
	{ HEAD "factors: [" A ", { name: l, kind: link-order, levels: [given, reversed] }]\n",
		"p:3:57: factor 'l' of kind link-order has no 'objects'", NULL },
	/* use of factors */
	{ "name: n\nprograms:\n- name: p\n  command: c {b}\nfactors: [" A "]\n",
		"p:4:12: command: there is no factor for {b}", "use a" },
	{ "name: n\nprograms: [{ name: p, command: c }]\nfactors: [" A "]\n",
		"p:3:19: no command uses the factor 'a', so it would change nothing",
		"write {a} into a command" },
	{ "name: n\nprograms: [{ name: p, command: c }]\nfactors:\n- name: opt\n  kind: "
	  "optimisation\n  levels: [-O2, -O3]\n",
		"p:4:9: no command uses the factor 'opt', so it would change nothing",
		"write {opt} into a build command" },
	{ GOOD "run: { prepare: 'x {aa}' }\n", "p:5:8: prepare: there is no factor for {aa}",
		NULL },
	/* design and the rest */
	{ GOOD "design: ful\n", "p:5:9: there is no design 'ful'", NULL },
	{ GOOD "design: { blocks: rounds }\n", "p:5:19: blocks: there is no 'rounds'",
		"did you mean 'round'?" },
	{ GOOD "design: { fractional: {} }\n", "p:5:23: fractional has no 'generators'", NULL },
	{ GOOD "design: { fractional: { generators: [b = a] } }\n",
		"p:5:38: generator 'b = a': there is no factor 'b'", "use a" },
	{ GOOD "design: { fractional: { generators: [a b] } }\n",
		"p:5:38: a generator must be FACTOR = FACTORS, not a b", NULL },
	{ GOOD "design: { fractional: { generators: [a = a] } }\n", "p:5:38: ", NULL },
	{ HEAD "factors:\n- " A "\n- { name: t, kind: threads, levels: [1, 2, 3] }\n"
	       "design: { fractional: { generators: [t = a] } }\n",
		"p:6:38: generator 't = a': factor 't' has 3 levels", NULL },
	{ GOOD "replications: 0\n", "p:5:15: replications: ", NULL },
	{ GOOD "replications: many\n", "p:5:15: replications: ", NULL },
	{ GOOD "replications: 3\ndiscard: 3\n",
		"p:6:10: discard is 3 of 3 replications: nothing would be left", NULL },
	{ GOOD "discard: 3\nreplications: 3\n", "p:5:10: discard is 3 of 3", NULL },
	{ GOOD "order: randm\n", "p:5:8: order: there is no 'randm'", "did you mean 'random'?" },
	{ GOOD "seed: -1\n", "p:5:7: seed: ", NULL },
	{ GOOD "response: cpu\n", "p:5:11: response: there is no metric 'cpu'",
		"use pt, et, max_rss, user" },
	{ GOOD "response: { profil: f }\n", "p:5:13: response has no key 'profil'",
		"did you mean 'profile'?" },
	{ GOOD "run: 5\n", "p:5:6: run must be a map of options", NULL },
	{ GOOD "run: { cpu: { a: 1 } }\n", "p:5:13: run: cpu must be a single value", NULL },
	{ GOOD "hooks: { befor: x }\n", "p:5:10: hooks has no key 'befor'", NULL },
};

static void check_bad(size_t i)
{
	struct et_plan_file p;
	struct et_error err = { 0 };
	int rc = read_plan(bad[i].text, &p, &err);

	if (!ok(rc < 0 && err.exit == ET_EXIT_USAGE &&
			    !strncmp(err.what, bad[i].what, strlen(bad[i].what)),
		    "refused: %s", bad[i].what))
		printf("# got '%s'\n", rc ? err.what : "accepted");
	if (bad[i].hint && !ok(!strncmp(err.hint, bad[i].hint, strlen(bad[i].hint)),
				   "refused: %s: the hint", bad[i].what))
		printf("# got '%s'\n", err.hint);
	if (rc == 0)
		et_plan_file_free(&p);
}

static void check_zero(void)
{
	static const char text[] = "name: n\n\0";
	struct et_plan_file p;
	struct et_error err = { 0 };

	ok(read_bytes(text, sizeof(text) - 1, &p, &err) < 0, "zero: a byte of 0 is refused");
	is_str(err.what, "p:2:1: a plan file is text, but this byte is 0", "zero: its place");
}

static void check_large(void)
{
	size_t size = ET_PLAN_MOST_BYTES + 1;
	char *text = malloc(size);
	struct et_plan_file p;
	struct et_error err = { 0 };

	memset(text, '#', size);
	ok(read_bytes(text, size, &p, &err) < 0, "large: a file of more than 1 MiB is refused");
	is_str(err.what, "p:1:1: the file is larger than 1 MiB", "large: the limit is named");
	/* Every line is a value, and there are too many. */
	for (size_t i = 0; i + 4 < size; i += 4)
		memcpy(text + i, "- a\n", 4);
	ok(read_bytes(text, size - 5, &p, &err) < 0, "large: too many values are refused");
	is_str(err.what, "p:20000:3: more than 20000 values", "large: the number is named");
	free(text);
}

static void check_factors(void)
{
	static const char head[] = "name: n\nprograms: [{ name: p, command: c }]\nfactors:\n";
	char text[4096];
	struct et_plan_file p;
	struct et_error err = { 0 };
	size_t n = (size_t)snprintf(text, sizeof(text), "%s", head);

	for (int i = 0; i < 21; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
			"- { name: f%d, kind: nice, levels: [0, 1] }\n", i);
	ok(read_plan(text, &p, &err) < 0, "factors: 21 are refused");
	is_str(err.what, "p:24:3: more than 20 factors", "factors: the limit is named");
	n = strlen(head);
	for (int i = 0; i < 17; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
			"- { name: f%d, kind: nice, levels: [0, 1] }\n", i);
	ok(read_plan(text, &p, &err) < 0, "factors: 2^17 treatments are refused");
	is_str(err.what, "p:4:11: the design has more than 100000 treatments",
		"factors: the number of treatments is named");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check_bad(i);
	check_zero();
	check_large();
	check_factors();
	return tap_done();
}
