/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Imported records: valid ones come in whole, the others are refused with the right place. */
#include "store/import/import.h"
#include "specimen.h"

#include <errno.h>
#include <inttypes.h>

static struct et_error err;
static struct et_experiment *e;

static int import_bytes(const char *data, size_t size, struct et_import_options o)
{
	et_experiment_free(e);
	e = NULL;
	memset(&err, 0, sizeof(err));
	o.name = "FILE";
	o.wall_ns = 1763196906000000000u;
	o.random = 0xabcdef;
	return et_import(data, size, &o, &e, &err);
}

static int import_text(const char *text)
{
	return import_bytes(text, strlen(text), (struct et_import_options){ 0 });
}

static int import_column(const char *text, const char *column)
{
	return import_bytes(text, strlen(text), (struct et_import_options){ .column = column });
}

/* --- native --- */

static void write_sample(struct et_json *j, const struct et_sample *s)
{
	et_json_object(j, NULL);
	et_json_u64(j, "index", 999); /* the reader ignores it and counts */
	et_fields_write(j, et_sample_fields, s);
	et_json_array(j, "interference");
	for (size_t i = 0; i < s->measured.n_culprits; i++) {
		et_json_object(j, NULL);
		et_fields_write(j, et_culprit_fields, &s->measured.culprits[i]);
		et_json_end(j);
	}
	et_json_end(j);
	if (s->ruling.removal.by != ET_KEPT) {
		et_json_object(j, "removed");
		et_fields_write(j, et_removal_fields, &s->ruling.removal);
		et_json_end(j);
	}
	et_json_end(j);
}

static void write_command(struct et_json *j, const struct et_command *c)
{
	et_json_object(j, NULL);
	et_json_string(j, "name", c->name);
	et_json_string(j, "command", c->text);
	et_json_array(j, "argv");
	for (char **word = c->argv; *word; word++)
		et_json_string(j, NULL, *word);
	et_json_end(j);
	et_json_object(j, "parameters");
	for (size_t i = 0; i < c->n_parameters; i++)
		et_json_string(j, c->parameters[i].name, c->parameters[i].value);
	et_json_end(j);
	et_json_string(j, "prepare", c->prepare);
	et_json_string(j, "cleanup", c->cleanup);
	et_json_array(j, "samples");
	for (size_t i = 0; i < c->samples.n; i++)
		write_sample(j, sample_of(c, c->samples.n - 1 - i)); /* in reverse */
	et_json_end(j);
	et_json_object(j, "result");
	et_json_end(j);
	et_json_end(j);
}

static char *native_text(const struct et_experiment *x)
{
	char *text = NULL, buf[32];
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct et_json j;

	et_json_init(&j, out, 1);
	et_json_object(&j, NULL);
	et_json_int(&j, "etalon", 1);
	et_json_string(&j, "id", x->id);
	et_json_string(&j, "label", x->label);
	et_json_string(&j, "started", et_format_rfc3339(x->started_wall_ns, buf));
	et_json_string(&j, "state", et_state_names[x->state]);
	et_json_string(&j, "protocol", et_protocol_names[x->protocol]);
	et_json_string(&j, "metric", et_metric_names[x->metric]);
	et_json_string(&j, "order", et_order_names[x->plan.order]);
	et_json_u64(&j, "seed", x->plan.seed);
	et_json_string(&j, "image_source", x->snapshot_source);
	et_json_string(&j, "a key of later times", "ignored");
	et_json_object(&j, "plan");
	et_fields_write(&j, et_plan_fields, &x->plan);
	et_json_end(&j);
	et_json_object(&j, "child");
	et_fields_write(&j, et_child_fields, &x->child);
	et_json_end(&j);
	et_json_object(&j, "host");
	et_fields_write(&j, et_host_fields, &x->host);
	et_json_end(&j);
	et_json_array(&j, "environment");
	for (size_t i = 0; i < x->n_environment; i++) {
		et_json_object(&j, NULL);
		et_fields_write(&j, et_factor_fields, &x->environment[i]);
		et_json_end(&j);
	}
	et_json_end(&j);
	et_json_object(&j, "first_check");
	et_fields_write(&j, et_first_check_fields, &x->first_check);
	et_json_end(&j);
	et_json_object(&j, "study");
	et_fields_write(&j, et_study_fields, &x->member);
	et_json_end(&j);
	et_json_array(&j, "figures");
	for (size_t i = 0; i < x->n_figures; i++) {
		et_json_object(&j, NULL);
		et_fields_write(&j, et_figure_fields, &x->figures[i]);
		et_json_end(&j);
	}
	et_json_end(&j);
	et_json_array(&j, "commands");
	for (size_t i = 0; i < x->n_commands; i++)
		write_command(&j, &x->commands[i]);
	et_json_end(&j);
	et_json_end(&j);
	fclose(out);
	return text;
}

static void native(void)
{
	struct et_experiment *x = specimen("20251115-085506-aaaaaa");

	for (uint32_t order = 1; order <= 5; order++) {
		struct et_sample s = specimen_sample(order % 2, order);
		specimen_culprits(&s, order % 4);
		et_experiment_add(x, &s);
	}
	/* JSON strings are UTF-8, and our reader's integers are below 2^63. */
	for (size_t i = 0; i < x->n_commands; i++)
		strcpy(x->commands[i].argv[3], "UTF-8");
	x->plan.seed = INT64_MAX;
	char *text = native_text(x);
	ok(import_text(text) == 0, "native: a record is read: %s", err.what);
	x->state = ET_STATE_INTERRUPTED; /* it does not run on this machine */
	x->origin = ET_ORIGIN_IMPORTED;
	x->machine[0] = '\0';
	ok(e && same_experiment(x, e), "native: the whole record comes in");
	ok(e && sample_of(&e->commands[1], 2)->place.index == 3,
		"native: samples are sorted by their order");
	struct et_import_options copy = { .copy = true, .label = "mine" };
	ok(import_bytes(text, strlen(text), copy) == 0, "native: a record is read as a copy");
	is_str(e->id, "20251115-085506-abcdef", "native: a copy has a new id");
	is_str(e->label, "mine", "native: a copy has the label that was given");
	ok(e->started_wall_ns == x->started_wall_ns, "native: a copy keeps its start time");

	size_t length = strlen(text);
	int refused = 0;
	for (size_t n = 0; n < length; n += 37)
		refused += import_bytes(text, n, (struct et_import_options){ 0 }) != 0;
	ok(refused == (int)((length + 36) / 37), "native: every truncated record is refused");
	int unclear = 0;
	for (size_t i = 0; i < length; i += 11) {
		char was = text[i];
		text[i] = "9-\"{x"[i % 5];
		int rc = import_text(text);
		unclear += rc ? rc != -EINVAL || !err.what[0] || e : !e;
		text[i] = was;
	}
	ok(!unclear, "native: every record with a wrong byte is read or refused with an error");
	free(text);
	et_experiment_free(x);

	ok(import_text("{\"etalon\":1,\"commands\":[{\"name\":\"a\",\"samples\":["
		       "{\"et_ns\":5},{\"pt_ns\":7.0,\"exit_code\":null}]}]}") == 0,
		"native: a minimal record is read");
	ok(sample_of(&e->commands[0], 0)->place.order == 1 &&
			sample_of(&e->commands[0], 1)->place.order == 2 &&
			sample_of(&e->commands[0], 0)->measured.cpu_ns == ET_UNKNOWN &&
			sample_of(&e->commands[0], 1)->measured.cpu_ns == 7 &&
			sample_of(&e->commands[0], 1)->measured.exit_code == -1,
		"native: figures that a record does not have are unknown");
	is_str(e->id, "20251115-085506-abcdef", "native: a record without an id gets one");
	near(e->plan.level, 0.95, 0, 0, "native: a record without a confidence level gets 95 %%");
}

/* A record of two commands with this profile. */
static int import_profile(const char *profile)
{
	ET_AUTO_FREE char *text = et_asprintf(
		"{\"etalon\":1,\"profile\":%s,\"commands\":[{\"name\":\"a\",\"samples\":["
		"{\"order\":1,\"warmup\":true},{\"order\":2,\"et_ns\":7}]},"
		"{\"name\":\"b\",\"samples\":[{\"order\":3}]}]}",
		profile);

	return import_text(text);
}

static void profiles(void)
{
	ok(import_profile("{\"plan\":{\"event\":\"cycles\",\"rate_hz\":99,\"chains\":\"dwarf\"},"
			  "\"event\":\"cpu-clock\",\"way\":\"inherited\",\"functions\":["
			  "{\"name\":\"f\",\"module\":\"m\",\"space\":\"kernel\",\"unnamed\":true},"
			  "{\"name\":\"g\",\"module\":\"m\"},{\"name\":\"f\",\"module\":\"m\"}],"
			  "\"nodes\":[[0,0],[1,1],[2,2]],\"runs\":["
			  "{\"command\":0,\"order\":1,\"samples\":6,\"period\":2.5,\"lost\":1,"
			  "\"counts\":[[1,4,2],[3,2,0]]},{\"command\":1,\"order\":3}],"
			  "\"calls\":[{\"command\":1,\"function\":1,\"calls\":12}]}") == 0,
		"profile: it is read: %s", err.what);
	const struct et_profile *p = e->profile;
	ok(p && p->plan.rate_hz == 99 && p->plan.chains == ET_CHAINS_DWARF &&
			!strcmp(p->plan.event, "cycles") && !strcmp(p->event, "cpu-clock") &&
			p->way == ET_PROFILE_INHERITED,
		"profile: the plan and what was used are read");
	ok(p->n_functions == 3 && p->functions[0].space == ET_SPACE_KERNEL &&
			p->functions[0].unnamed && !strcmp(p->functions[2].name, "f~2"),
		"profile: functions keep their numbers, even if two have one name");
	ok(p->n_nodes == 4 && p->nodes[3].parent == 2 && p->nodes[3].function == 2,
		"profile: nodes are read, without the root");
	ok(p->n_runs == 2 && p->runs[0].warmup && !p->runs[1].warmup && p->runs[0].lost == 1 &&
			p->runs[0].period == 2.5 && p->runs[0].n_counts == 2 &&
			p->runs[0].counts[1].node == 3 && p->runs[0].counts[0].at_entry == 2,
		"profile: runs are read, the warm-up by their samples");
	ok(et_profile_calls_of(p, 1, 1) == 12, "profile: numbers of calls are read");
	ok(sample_of(&e->commands[0], 0)->measured.elapsed_ns == ET_UNKNOWN,
		"profile: its samples need no times");
}

static void bad_profiles(void)
{
#define FUNCTIONS "{\"functions\":[{\"name\":\"f\",\"module\":\"m\"}],\"nodes\":"
#define RUNS FUNCTIONS "[[0,0],[1,0]],\"runs\":"
	static const char *const list[][2] = {
		{ "7", "is not an object" },
		{ "{\"plan\":{\"chains\":\"iron\"}}", "profile.plan.chains" },
		{ "{\"way\":\"guess\"}", "profile.way" },
		{ "{\"functions\":[{\"name\":\"f\"}]}", "profile.functions[0]: has no name" },
		{ "{\"functions\":[[]]}", "profile.functions[0]: is not an object" },
		{ FUNCTIONS "[[0,1]]}", "profile.nodes[0]: has a function" },
		{ FUNCTIONS "[[1,0]]}", "profile.nodes[0]: has a caller" },
		{ FUNCTIONS "[[-1,0]]}", "profile.nodes[0]: is not a list" },
		{ FUNCTIONS "[[0]]}", "profile.nodes[0]: is not a list of 2" },
		{ FUNCTIONS "[[0,0],[0,0]]}", "profile.nodes[1]: is there already" },
		{ RUNS "[{\"command\":0,\"order\":3}]}", "profile.runs[0]: there is no sample" },
		{ RUNS "[{\"command\":2,\"order\":3}]}", "profile.runs[0]: there is no sample" },
		{ RUNS "[{\"order\":2},{\"order\":1}]}", "profile.runs[1]: does not come" },
		{ RUNS "[{\"order\":2},{\"order\":2}]}", "profile.runs[1]: does not come" },
		{ RUNS "[{\"order\":2,\"samples\":1}]}", "is not the sum" },
		{ RUNS "[{\"order\":2,\"lost\":-1}]}", "profile.runs[0].lost" },
		{ RUNS "[{\"order\":2,\"counts\":[[0,1,0]]}]}", "counts[0]: has a node" },
		{ RUNS "[{\"order\":2,\"counts\":[[3,1,0]]}]}", "counts[0]: has a node" },
		{ RUNS "[{\"order\":2,\"counts\":[[2,1,0],[1,1,0]]}]}", "counts[1]: has a node" },
		{ RUNS "[{\"order\":2,\"counts\":[[1,1,2]]}]}", "counts[0]: has more" },
		{ RUNS "[{\"order\":2,\"counts\":[[1,9223372036854775807,0],"
		       "[2,1,0]]}]}",
			"counts[1]: makes too many" },
		{ FUNCTIONS "[],\"calls\":[{\"calls\":-1}]}", "profile.calls[0].calls" },
		{ FUNCTIONS "[],\"calls\":[{\"command\":2,\"calls\":1}]}", "profile.calls[0]" },
		{ FUNCTIONS "[],\"calls\":[{\"function\":1,\"calls\":1}]}", "profile.calls[0]" },
	};
#undef FUNCTIONS
#undef RUNS

	for (size_t i = 0; i < ET_LENGTH(list); i++) {
		int rc = import_profile(list[i][0]);
		ok(rc == -EINVAL && err.exit == ET_EXIT_USAGE && strstr(err.what, list[i][1]),
			"profile: damage is refused: %s", rc ? err.what : list[i][0]);
	}
}

static void times(void)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "1970-01-01T00:00:01Z", 1000000000 },
		{ "2026-11-15T08:55:06Z", 1794732906000000000 },
		{ "2026-11-15T10:25:06.25+01:30", 1794732906250000000 },
		{ "2026-11-15T07:55:06.123456789-01:00", 1794732906123456789 },
	};
	static const char *const bad[] = { "", "yesterday", "2026-11-15", "2026-13-15T08:55:06Z",
		"2026-11-15T08:55:06", "2026-11-15T08:55:06+1", "1969-12-31T23:59:59Z",
		"9999-11-15T08:55:06Z" };
	char text[200];

	for (size_t i = 0; i < ET_LENGTH(good) + ET_LENGTH(bad); i++) {
		bool is_good = i < ET_LENGTH(good);
		const char *time = is_good ? good[i].text : bad[i - ET_LENGTH(good)];

		snprintf(text, sizeof(text),
			"{\"etalon\":1,\"started\":\"%s\",\"commands\":[{\"name\":\"a\"}]}", time);
		int rc = import_text(text);
		ok(is_good ? rc == 0 && e->started_wall_ns == good[i].ns : rc == -EINVAL,
			"native: the time '%s' is %s", time, is_good ? "read" : "refused");
	}
}

/* --- hyperfine --- */

static void hyperfine(void)
{
	size_t n;

	ok(import_text("{\"results\":[{\"command\":\"sleep 0.1\",\"mean\":0.1,\"user\":0.001,"
		       "\"times\":[0.100000001,0.2,1e-9,0],\"exit_codes\":[0,3,null,0],"
		       "\"memory_usage_byte\":[4096,8192],"
		       "\"parameters\":{\"n\":\"1\",\"m\":2,\"x\":0.5}},"
		       "{\"command\":\"b\",\"times\":[1]}]}") == 0,
		"hyperfine: its JSON is read: %s", err.what);
	ok(e->metric == ET_METRIC_ELAPSED && e->state == ET_STATE_DONE && e->n_commands == 2,
		"hyperfine: the metric is elapsed time");
	const struct et_command *c = &e->commands[0];
	ok(c->samples.n == 4 && sample_of(c, 0)->measured.elapsed_ns == 100000001 &&
			sample_of(c, 2)->measured.elapsed_ns == 1 &&
			sample_of(c, 3)->measured.elapsed_ns == 0,
		"hyperfine: seconds become nanoseconds");
	ok(sample_of(c, 1)->measured.exit_code == 3 && sample_of(c, 2)->measured.exit_code == -1,
		"hyperfine: exit codes are read");
	ok(sample_of(c, 1)->measured.max_rss_bytes == 8192 &&
			sample_of(c, 2)->measured.max_rss_bytes == ET_UNKNOWN,
		"hyperfine: peak memory is unknown if the list is too short");
	ok(c->n_parameters == 3 && !strcmp(c->parameters[2].value, "0.5"),
		"hyperfine: parameters are read");
	ok(sample_of(c, 0)->measured.cpu_ns == ET_UNKNOWN &&
			sample_of(c, 0)->measured.user_ns == ET_UNKNOWN,
		"hyperfine: CPU time is unknown");
	double *values = et_command_values(c, ET_METRIC_CPU, ET_SOLO, &n);
	ok(n == 0, "hyperfine: there are no values of CPU time");
	free(values);
	values = et_command_values(c, ET_METRIC_ELAPSED, ET_SOLO, &n);
	ok(n == 4 && values[1] == 2e8, "hyperfine: there are values of elapsed time");
	free(values);
	ok(sample_of(&e->commands[1], 0)->place.order == 5 && e->plan.runs == 4,
		"hyperfine: commands follow each other in order");
}

/* --- CSV --- */

static void csv(void)
{
	ok(import_text("command,et_ns,marks\na,5,stopped leftovers\na,6,\n") == 0 &&
			sample_of(&e->commands[0], 0)->ruling.marks ==
				(ET_MARK_STOPPED | ET_MARK_LEFTOVERS) &&
			!sample_of(&e->commands[0], 1)->ruling.marks,
		"csv: marks are read by their names: %s", err.what);
	ok(import_text("command,index,order,round,arrangement,warmup,exit_code,et_ns,pt_ns,user_ns,"
		       "system_ns,wait_ns,blocked_ns,steal_ns,max_rss_bytes,removed\n"
		       "a,1,1,0,solo,true,0,100,90,80,10,1,,0,4096,\n"
		       "a,2,2,1,duet,false,,101,91,81,10,1,,0,4096,two-sigma\r\n"
		       "\"b, \"\"so\"\" called\",1,2,1,duet,false,0,200,190,,,,,,,\n"
		       "\"'=1+1\",1,3,1,solo,false,0,1e3,5.0\n") == 0,
		"csv: etalon's own columns are read: %s", err.what);
	ok(e->n_commands == 3 && e->metric == ET_METRIC_CPU,
		"csv: commands and metric are recognized");
	is_str(e->commands[1].name, "b, \"so\" called", "csv: quotes within a cell are read");
	is_str(e->commands[2].name, "=1+1", "csv: the quote before a formula is removed");
	const struct et_sample *s = sample_of(&e->commands[0], 0);
	ok(s[0].place.warmup && s[0].measured.blocked_ns == ET_UNKNOWN &&
			s[0].measured.max_rss_bytes == 4096,
		"csv: values of cells are read");
	ok(s[1].measured.exit_code == -1 && s[1].ruling.removal.by == ET_REMOVED_TWO_SIGMA &&
			s[1].place.partner == 1 &&
			sample_of(&e->commands[1], 0)->place.partner == 0,
		"csv: a removal is read, and samples of one order are a duet");
	ok(sample_of(&e->commands[2], 0)->measured.elapsed_ns == 1000 &&
			sample_of(&e->commands[2], 0)->measured.user_ns == ET_UNKNOWN,
		"csv: missing cells are unknown");

	ok(import_text("# seconds\n\n0.5\n 1.25 \n\n2\n") == 0 && e->n_commands == 1 &&
			e->commands[0].samples.n == 3 &&
			sample_of(&e->commands[0], 1)->measured.elapsed_ns == 1250000000 &&
			e->metric == ET_METRIC_ELAPSED,
		"csv: a list of numbers is read as seconds: %s", err.what);
	ok(import_text("\xef\xbb\xbftime_ms\n1.5\n") == 0 &&
			sample_of(&e->commands[0], 0)->measured.elapsed_ns == 1500000,
		"csv: the unit of a single column is in its name: %s", err.what);
	ok(import_column("name;wall\nx;0.5\nx;0.25\n", "wall") == 0 &&
			sample_of(&e->commands[0], 1)->measured.elapsed_ns == 250000000,
		"csv: a column is found by name, with semicolons: %s", err.what);
	ok(import_column("1\t0.5\n2\t0.25\n", "2") == 0 &&
			sample_of(&e->commands[0], 1)->measured.elapsed_ns == 250000000,
		"csv: a column is found by number, with tabs: %s", err.what);
	ok(import_column("command,et_ns,other_us\na,1,7\nb,2,8", "other_us") == 0 &&
			e->n_commands == 2 &&
			sample_of(&e->commands[1], 0)->measured.elapsed_ns == 8000,
		"csv: --column replaces et_ns: %s", err.what);
}

/* --- records that are refused, and the place that the error names --- */

#define NATIVE(samples) "{\"etalon\":1,\"commands\":[{\"name\":\"a\",\"samples\":[" samples "]}]}"
#define RESULT(keys) "{\"results\":[{\"command\":\"a\"," keys "}]}"

static const struct {
	const char *text, *says;
} bad[] = {
	{ "", "empty" },
	{ " \n ", "empty" },
	{ "{", "line 1, column 1" },
	{ "[1,2]", "no JSON of" },
	{ "{\"a\":1}", "no JSON of" },
	{ "{\"etalon\":1,\"etalon\":1}", "duplicate" },
	{ "{\"etalon\":1}", "no commands" },
	{ "{\"etalon\":2,\"commands\":[]}", "version 2" },
	{ "{\"etalon\":\"1\"}", "etalon: is not" },
	{ "{\"etalon\":1,\"id\":\"-rf x\"}", "id: '-rf x'" },
	{ "{\"etalon\":1,\"id\":7}", "id: is not a string" },
	{ "{\"etalon\":1,\"id\":\"0123456789012345678901234567890123456789\"}", "not an id" },
	{ "{\"etalon\":1,\"commands\":{}}", "commands: is not a list" },
	{ "{\"etalon\":1,\"commands\":[1]}", "commands[0]: is not an object" },
	{ "{\"etalon\":1,\"commands\":[{}]}", "commands[0]: has neither" },
	{ "{\"etalon\":1,\"metric\":\"speed\"}", "metric: is not one of pt, et" },
	{ "{\"etalon\":1,\"seed\":-1}", "seed: is not" },
	{ "{\"etalon\":1,\"seed\":99999999999999999999}", "too big integer" },
	{ "{\"etalon\":1,\"plan\":[]}", "plan: is not an object" },
	{ "{\"etalon\":1,\"plan\":{\"level\":1.01}}", "plan.level" },
	{ "{\"etalon\":1,\"plan\":{\"reference\":1},\"commands\":[{\"name\":\"a\"}]}",
		"no command 1" },
	{ "{\"etalon\":1,\"host\":{\"clocksource\":\"01234567890123456789012345678901\"}}",
		"host.clocksource: is not a string of at most 31 bytes" },
	{ "{\"etalon\":1,\"environment\":[{\"ok\":1}]}", "environment[0].ok" },
	{ "{\"etalon\":1,\"environment\":[[]]}", "environment[0]: is not an object" },
	{ "{\"etalon\":1,\"study\":7}", "study: is not an object" },
	{ "{\"etalon\":1,\"study\":{\"part\":7}}", "study.part" },
	{ "{\"etalon\":1,\"figures\":{}}", "figures: is not a list" },
	{ "{\"etalon\":1,\"figures\":[7]}", "figures[0]: is not an object" },
	{ "{\"etalon\":1,\"figures\":[{\"value\":1}]}", "figures[0]: has no name" },
	{ "{\"etalon\":1,\"figures\":[{\"name\":\"a\"},{\"name\":\"b\",\"value\":\"1\"}]}",
		"figures[1].value" },
	{ "{\"etalon\":1,\"figures\":[{\"name\":\"a\",\"load\":-1}]}", "figures[0].load" },
	{ "{\"etalon\":1,\"first_check\":7}", "first_check: is not an object" },
	{ "{\"etalon\":1,\"first_check\":{\"state\":\"x\"}}", "first_check.state: is not one of" },
	{ "{\"etalon\":1,\"first_check\":{\"state\":5}}", "first_check.state" },
	{ "{\"etalon\":1,\"first_check\":{\"learned_wall_ns\":-1}}",
		"first_check.learned_wall_ns" },
	{ "{\"etalon\":1,\"first_check\":{\"cutoffs\":4294967296}}", "first_check.cutoffs" },
	{ "{\"etalon\":1,\"first_check\":{\"would_remove\":1.5}}", "first_check.would_remove" },
	{ "{\"etalon\":1,\"started_wall_ns\":-1}", "started_wall_ns" },
	{ "{\"etalon\":1,\"commands\":[{\"name\":\"a\",\"argv\":[1]}]}", "commands[0].argv[0]" },
	{ "{\"etalon\":1,\"commands\":[{\"name\":\"a\",\"parameters\":{\"x\":[]}}]}",
		"commands[0].parameters.x" },
	{ "{\"etalon\":1,\"commands\":[{\"name\":\"a\"},{\"name\":\"b\",\"samples\":[{\"et_ns\":1},"
	  "{\"et_ns\":-1}]}]}",
		"commands[1].samples[1].et_ns: is not a whole number from 0" },
	{ NATIVE("7"), "samples[0]: is not an object" },
	{ NATIVE("{}"), "samples[0]: has neither et_ns nor pt_ns" },
	{ NATIVE("{\"et_ns\":null}"), "has neither" },
	{ NATIVE("{\"et_ns\":\"1\"}"), "et_ns" },
	{ NATIVE("{\"et_ns\":1.5}"), "et_ns" },
	{ NATIVE("{\"et_ns\":1e300}"), "et_ns" },
	{ NATIVE("{\"et_ns\":1e999}"), "real number overflow" },
	{ NATIVE("{\"et_ns\":NaN}"), "line 1" },
	{ NATIVE("{\"et_ns\":1,\"order\":0}"), "order" },
	{ NATIVE("{\"et_ns\":1,\"order\":4294967296}"), "order" },
	{ NATIVE("{\"et_ns\":1,\"order\":1},{\"et_ns\":1}"), "1 of 2 samples have no order" },
	{ NATIVE("{\"et_ns\":1,\"order\":2},{\"et_ns\":1,\"order\":2}"), "order 2 occurs twice" },
	{ NATIVE("{\"et_ns\":1,\"partner\":1}"), "partner 1" },
	{ NATIVE("{\"et_ns\":1,\"marks\":[\"odd\"]}"), "samples[0].marks" },
	{ NATIVE("{\"et_ns\":1,\"marks\":\"stopped\"}"), "samples[0].marks" },
	{ NATIVE("{\"et_ns\":1,\"warmup\":1}"), "samples[0].warmup: is not true or false" },
	{ NATIVE("{\"et_ns\":1,\"arrangement\":\"trio\"}"), "one of solo, duet, paced" },
	{ NATIVE("{\"et_ns\":1,\"arrangement\":0}"), "arrangement" },
	{ NATIVE("{\"et_ns\":1,\"removed\":\"two-sigma\"}"), "removed: is not an object" },
	{ NATIVE("{\"et_ns\":1,\"removed\":{\"by\":\"x\"}}"), "removed.by" },
	{ NATIVE("{\"et_ns\":1,\"interference\":[{\"name\":\"a\",\"pt_ns\":-2}]}"),
		"samples[0].interference[0].pt_ns" },
	{ NATIVE("{\"et_ns\":1,\"interference\":[{\"name\":\"0123456789abcdef\"}]}"),
		"interference[0].name: is not a string of at most 15" },
	{ RESULT("\"mean\":1"), "results[0]: has no times" },
	{ RESULT("\"times\":[]"), "results[0]: has no times" },
	{ RESULT("\"times\":[1,-1]"), "results[0].times[1]" },
	{ RESULT("\"times\":[1e10]"), "results[0].times[0]" },
	{ RESULT("\"times\":[null]"), "results[0].times[0]" },
	{ RESULT("\"times\":[1],\"exit_codes\":[300]"), "results[0].exit_codes[0]" },
	{ RESULT("\"times\":[1],\"exit_codes\":{}"), "exit_codes: is not a list" },
	{ "{\"results\":[{\"times\":[1]}]}", "results[0]: has no command" },
	{ "{\"results\":[]}", "no commands" },
	{ "{\"results\":7}", "results: is not a list" },
	{ "a,b\n1,2\n", "which column" },
	{ "1,2\n", "which column" },
	{ "et_ns\n", "no samples" },
	{ "# nothing\n", "no samples" },
	{ "et_ns\n1\n-5\n", "line 3: et_ns: '-5' is not a whole number from 0" },
	{ "et_ns\n\n# x\nsoon\n", "line 4: et_ns" },
	{ "et_ns\n1.5\n", "line 2" },
	{ "et_ns\n99999999999999999999999\n", "line 2" },
	{ "et_ns,pt_ns\n,\n", "line 2: it has no time" },
	{ "et_ns\n1,2\n", "line 2: it has more cells" },
	{ "et_ns,removed\n1,magic\n", "line 2: removed" },
	{ "et_ns,warmup\n1,maybe\n", "line 2: warmup: 'maybe' is not true or false" },
	{ "et_ns,order\n1,1\n2,1\n", "order 1 occurs twice" },
	{ "command,et_ns,order\na,1,1\nb,2,1\n", "order 1 occurs twice" },
	{ "seconds\nnan\n", "line 2: 'nan' is not a time" },
	{ "seconds\n0x10\n", "line 2" },
	{ "seconds\n-0.5\n", "line 2" },
	{ "seconds\n1e99\n", "line 2" },
	{ "seconds\n\"0.5\n", "line 2: a quote is not closed" },
};

static void refused(void)
{
	for (size_t i = 0; i < ET_LENGTH(bad); i++) {
		int rc = import_text(bad[i].text);
		bool good = rc == -EINVAL && !e && err.exit == ET_EXIT_USAGE &&
			    !strncmp(err.what, "FILE: ", 6) && strstr(err.what, bad[i].says);
		ok(good, "refusal: %.40s: %s", bad[i].says, err.what);
	}
	ok(import_column("a,b\n1,2\n", "c") == -EINVAL && strstr(err.hint, "a, b"),
		"refusal: an unknown column is reported with a hint: %s; %s", err.what, err.hint);
	ok(import_column("a,b\n1,2\n", "3") == -EINVAL,
		"refusal: a column number that is too high: %s", err.what);
	ok(import_bytes("1\n\0\n", 4, (struct et_import_options){ 0 }) == -EINVAL,
		"refusal: a NUL byte: %s", err.what);
	ok(import_bytes("1\n", 2, (struct et_import_options){ .format = ET_IMPORT_NATIVE }) < 0,
		"refusal: the file does not have the given format: %s", err.what);
}

static void large(void)
{
	enum { DEPTH = 100000 };
	char *deep = et_alloc(2 * DEPTH);

	memset(deep, '[', DEPTH);
	memset(deep + DEPTH, ']', DEPTH);
	memcpy(deep, "{\"a\":", 5);
	ok(import_bytes(deep, 2 * DEPTH, (struct et_import_options){ 0 }) < 0,
		"refusal: deep nesting: %s", err.what);
	memset(deep, ',', 2 * DEPTH);
	ok(import_bytes(deep, 2 * DEPTH, (struct et_import_options){ 0 }) < 0,
		"refusal: a row of 200,000 cells: %s", err.what);
	free(deep);

	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	fprintf(out, "command,et_ns\n");
	for (int i = 0; i < 5000; i++)
		fprintf(out, "c%d,%d\n", i, i);
	fclose(out);
	ok(import_text(text) < 0, "refusal: 5,000 commands: %s", err.what);
	free(text);
	out = open_memstream(&text, &size);
	for (int i = 0; i < 100000; i++)
		fprintf(out, "%d.5\n", i);
	fclose(out);
	ok(import_text(text) == 0 && e->commands[0].samples.n == 100000,
		"csv: 100,000 numbers are read");
	free(text);
}

int main(void)
{
	native();
	profiles();
	bad_profiles();
	times();
	hyperfine();
	csv();
	refused();
	large();
	et_experiment_free(e);
	return tap_done();
}
