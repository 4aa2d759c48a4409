/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks all nodes for a probe, judges the answers and prints the judgement. */
#include "campaign/preflight.h"
#include "base/clock.h"
#include "base/parse.h"
#include "campaign/probe.h"
#include "model/experiment/field.h"
#include "store/core/store.h"

#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

/* --- reading a probe --- */

/* A node may answer anything; more than this is not shown to anybody. */
enum { MOST_FACTORS = 200, LONGEST_TEXT = 300 };

/* Returns a copy of a text, cut at a character of UTF-8; "" if there is none. */
static char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	size_t n = text ? strlen(text) : 0;

	if (n > LONGEST_TEXT)
		for (n = LONGEST_TEXT; n && ((unsigned char)text[n] & 0xc0) == 0x80; n--)
			;
	return et_strndup(text ? text : "", n);
}

static void read_host(const json_t *object, struct et_host *host)
{
	et_fields_set_missing(et_host_fields, host);
	for (const struct et_field *f = et_host_fields; f->name; f++) {
		const json_t *v = json_object_get(object, f->name);
		/* A value that the table refuses stays missing. */
		bool taken = json_is_string(v)    ? et_field_set_text(f, host, json_string_value(v))
			     : json_is_integer(v) ? et_field_set_int(f, host, json_integer_value(v))
						  : true;
		(void)taken;
	}
}

static void read_factors(const json_t *list, struct et_node_probe *p)
{
	size_t i;
	json_t *v;

	p->factors = et_calloc(MOST_FACTORS, sizeof(*p->factors));
	json_array_foreach(list, i, v)
	{
		if (!json_is_object(v) || p->n_factors == MOST_FACTORS)
			continue;
		p->factors[p->n_factors++] = (struct et_factor){ .factor = text_of(v, "factor"),
			.state = text_of(v, "state"),
			.wanted = text_of(v, "wanted"),
			.ok = json_is_true(json_object_get(v, "ok")) };
	}
}

static void read_store(const json_t *store, struct et_node_probe *p)
{
	const json_t *offset = json_object_get(store, "clock_offset_ns");
	const json_t *doubt = json_object_get(store, "clock_doubt_ns");

	p->asked_store = json_is_object(store);
	p->reached_store = json_is_true(json_object_get(store, "reachable"));
	if (json_is_string(json_object_get(store, "error")))
		p->store_error = text_of(store, "error");
	/* Half of the range, so that differences of two do not overflow. */
	p->has_store_clock = json_is_integer(offset) && json_is_integer(doubt) &&
			     json_integer_value(offset) > INT64_MIN / 4 &&
			     json_integer_value(offset) < INT64_MAX / 4 &&
			     json_integer_value(doubt) >= 0 &&
			     json_integer_value(doubt) < INT64_MAX / 4;
	if (p->has_store_clock) {
		p->store_offset_ns = json_integer_value(offset);
		p->store_doubt_ns = (uint64_t)json_integer_value(doubt);
	}
}

static const char *why_refused(const json_t *root)
{
	const json_t *wall = json_object_get(root, "wall_ns");

	if (json_integer_value(json_object_get(root, "etalon_probe")) != 1)
		return "etalon_probe is not 1";
	if (!json_is_string(json_object_get(root, "version")) ||
		!json_is_string(json_object_get(root, "machine")) ||
		!json_is_integer(json_object_get(root, "schema")))
		return "version, machine or schema is missing";
	if (!json_string_length(json_object_get(root, "machine")))
		return "the identity of the machine is empty";
	if (!json_is_integer(wall) || json_integer_value(wall) < 0 ||
		json_integer_value(wall) > INT64_MAX / 2)
		return "wall_ns is no time";
	return NULL;
}

int et_probe_read(const char *text, size_t n, struct et_node_probe *p, struct et_error *err)
{
	json_error_t at;
	json_t *root = json_loadb(text, n, JSON_REJECT_DUPLICATES, &at);
	const char *why = !root ? at.text : json_is_object(root) ? why_refused(root) : "no object";

	if (why) {
		int rc = et_fail(
			err, EPROTO, ET_EXIT_OUTSIDE, "the answer is no probe of etalon: %s", why);
		json_decref(root);
		return rc;
	}
	p->machine = text_of(root, "machine");
	p->version = text_of(root, "version");
	p->schema = json_integer_value(json_object_get(root, "schema"));
	p->wall_ns = (uint64_t)json_integer_value(json_object_get(root, "wall_ns"));
	read_host(json_object_get(root, "host"), &p->host);
	read_factors(json_object_get(root, "environment"), p);
	read_store(json_object_get(root, "store"), p);
	json_decref(root);
	return 0;
}

void et_probe_free(struct et_node_probe *p)
{
	for (size_t i = 0; i < p->n_factors; i++) {
		free(p->factors[i].factor);
		free(p->factors[i].state);
		free(p->factors[i].wanted);
	}
	free(p->factors);
	free(p->node);
	free(p->machine);
	free(p->version);
	free(p->store_error);
}

/* --- judging: nothing here asks anybody --- */

/* A list of names in words: the first few, and how many more there are; all_names ends it. */
struct names {
	char *text;
	size_t n;
};

enum { MOST_NAMED = 5 };

static void add_name(struct names *l, const char *name, const char *remark)
{
	if (l->n++ < MOST_NAMED)
		et_append(&l->text, ", ", remark ? "%s (%s)" : "%s", name, remark);
}

static const char *all_names(struct names *l)
{
	if (l->n > MOST_NAMED)
		et_append(&l->text, " ", "and %zu more", l->n - MOST_NAMED);
	return l->text;
}

static void add_finding(
	struct et_preflight *out, enum et_preflight_kind kind, char *text, const char *cure)
{
	ET_GROW(out->findings, out->n_findings, out->room_findings);
	out->findings[out->n_findings++] =
		(struct et_preflight_finding){ kind, text, cure ? et_strdup(cure) : NULL };
}

/* Takes text. The exit status of the first error is that of the command. */
static void add_error(
	struct et_preflight *out, int errnum, enum et_exit exit, char *text, const char *cure)
{
	if (!out->rc) {
		out->rc = et_fail(&out->err, errnum, exit, "%s", text);
		if (cure && cure[0])
			out->rc = et_hint(&out->err, out->rc, "%s", cure);
	}
	add_finding(out, ET_PREFLIGHT_ERROR, text, cure && cure[0] ? cure : NULL);
}

/* --- machines whose clocks disagree, whatever the time that the answers took --- */

/* How far a clock is ahead of the reference: within lo and hi. */
struct ahead {
	const char *name;
	int64_t lo_ns, hi_ns;
};

static bool ahead_of_server(const struct et_node_probe *p, struct ahead *a)
{
	int64_t doubt_ns = (int64_t)p->store_doubt_ns;

	if (!p->has_store_clock)
		return false;
	*a = (struct ahead){ p->node, p->store_offset_ns - doubt_ns,
		p->store_offset_ns + doubt_ns };
	return true;
}

static bool ahead_of_us(const struct et_node_probe *p, struct ahead *a)
{
	if (p->got_wall_ns < p->sent_wall_ns || p->got_wall_ns > INT64_MAX / 2)
		return false;
	*a = (struct ahead){ p->node, (int64_t)p->wall_ns - (int64_t)p->got_wall_ns,
		(int64_t)p->wall_ns - (int64_t)p->sent_wall_ns };
	return true;
}

/* Finds the two clocks that differ the most for certain. Returns whether that is too much. */
static bool judge_clocks_by(const struct et_node_probe *probes, size_t n, const char *reference,
	bool (*ahead)(const struct et_node_probe *, struct ahead *), struct et_preflight *out)
{
	struct ahead fast = { reference, 0, 0 }, slow = fast, a;

	for (size_t i = 0; i < n; i++) {
		if (probes[i].rc || !ahead(&probes[i], &a))
			continue;
		if (a.lo_ns > fast.lo_ns)
			fast = a;
		if (a.hi_ns < slow.hi_ns)
			slow = a;
	}
	if (fast.lo_ns - slow.hi_ns <= ET_PREFLIGHT_CLOCK_NS)
		return false;
	double lo_s = (double)(fast.lo_ns - slow.hi_ns) / 1e9,
	       hi_s = (double)(fast.hi_ns - slow.lo_ns) / 1e9;
	add_error(out, ETIME, ET_EXIT_OUTSIDE,
		et_asprintf("the clock of %s is %.2f s ahead of the clock of %s (± %.2f s, by the "
			    "time of the round trip)",
			fast.name, (lo_s + hi_s) / 2, slow.name, (hi_s - lo_s) / 2),
		"let NTP set the clocks of both (for example 'apt-get install chrony'), or use "
		"--no-preflight");
	return true;
}

/* --- factors of the environment that are not the same on all machines --- */

/* The state of these is a figure that differs everywhere; whether it disturbs is compared. */
static const char *const figures[] = { "daemons", "irq-affinity", "load", "network", "steal",
	"swap", "thermal-throttling", "timers", NULL };

/* The values of one factor on all nodes; NULL: it is unknown there. */
struct column {
	const char *factor;
	char **values;
	size_t n;
};

static char *factor_value(const struct et_node_probe *p, const char *factor)
{
	for (size_t i = 0; i < p->n_factors; i++) {
		const struct et_factor *f = &p->factors[i];
		if (strcmp(f->factor, factor))
			continue;
		if (et_name_index(figures, factor) >= 0)
			return et_strdup(f->ok ? "as wanted" : "not as wanted");
		return et_strdup(f->state);
	}
	return NULL;
}

static const char *const properties[] = { "kernel", "architecture", "CPU", "CPUs", "memory" };

static char *property_of(const struct et_node_probe *p, size_t number)
{
	const struct et_host *h = &p->host;
	const char *const texts[] = { h->kernel, h->architecture, h->cpu };

	if (number < ET_LENGTH(texts))
		return et_strdup(texts[number]);
	/* Firmware takes a little of the memory, and not everywhere the same. */
	return number == 3 ? et_asprintf("%u", h->cpus)
			   : et_asprintf("%.0f GiB", (double)h->memory_bytes / 1073741824.0);
}

static const char *usual_of(const struct column *c)
{
	const char *usual = NULL;
	size_t most = 0;

	for (size_t i = 0; i < c->n; i++) {
		size_t n = 0;
		for (size_t k = 0; c->values[i] && k < c->n; k++)
			n += c->values[k] && !strcmp(c->values[k], c->values[i]);
		if (n > most) {
			most = n;
			usual = c->values[i];
		}
	}
	return usual;
}

static bool seen_before(const struct column *c, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (c->values[i] && !strcmp(c->values[i], c->values[at]))
			return true;
	return false;
}

/* "n3, n4 and 7 more: 0" */
static char *nodes_with(
	const struct et_node_probe *probes, const struct column *c, const char *value)
{
	struct names l = { 0 };

	for (size_t i = 0; i < c->n; i++) {
		if (c->values[i] && !strcmp(c->values[i], value))
			add_name(&l, probes[i].node, NULL);
	}
	all_names(&l);
	et_append(&l.text, ": ", "%s", value[0] ? value : "unknown");
	return l.text;
}

static void compare_column(
	const struct et_node_probe *probes, const struct column *c, struct et_preflight *out)
{
	const char *usual = usual_of(c);
	char *others = NULL;

	for (size_t i = 0; usual && i < c->n; i++) {
		if (!c->values[i] || !strcmp(c->values[i], usual) || seen_before(c, i))
			continue;
		ET_AUTO_FREE char *group = nodes_with(probes, c, c->values[i]);
		et_append(&others, "; ", "%s", group);
	}
	if (!others)
		return;
	ET_GROW(out->differences, out->n_differences, out->room_differences);
	out->differences[out->n_differences++] =
		(struct et_preflight_difference){ et_strdup(c->factor),
			et_strdup(usual[0] ? usual : "unknown"), others };
}

static void compare(const struct et_node_probe *probes, size_t n, struct et_preflight *out)
{
	ET_AUTO_FREE char **values = et_calloc(n + 1, sizeof(*values));
	struct column c = { .values = values, .n = n };
	const struct et_node_probe *model = NULL;

	for (size_t i = 0; !model && i < n; i++)
		model = probes[i].rc ? NULL : &probes[i];
	/* All have the same version, or nearly: the factors of one are those of all. */
	for (size_t k = 0; k < ET_LENGTH(properties) + (model ? model->n_factors : 0); k++) {
		bool property = k < ET_LENGTH(properties);
		c.factor =
			property ? properties[k] : model->factors[k - ET_LENGTH(properties)].factor;
		for (size_t i = 0; i < n; i++)
			values[i] = probes[i].rc ? NULL
				    : property   ? property_of(&probes[i], k)
						 : factor_value(&probes[i], c.factor);
		compare_column(probes, &c, out);
		for (size_t i = 0; i < n; i++)
			free(values[i]);
	}
}

/* --- nodes that did not answer --- */

static void judge_silent(const struct et_node_probe *probes, size_t n, struct et_preflight *out)
{
	struct names lacking = { 0 }, busy = { 0 };
	size_t others = 0;

	for (size_t i = 0; i < n; i++) {
		const struct et_node_probe *p = &probes[i];
		if (p->rc == -EAGAIN)
			add_name(&busy, p->node, NULL);
		else if (p->rc == -ENOENT)
			add_name(&lacking, p->node, NULL);
		else if (p->rc && others++ < MOST_NAMED)
			add_error(out, -p->rc, p->err.exit ? p->err.exit : ET_EXIT_OUTSIDE,
				strstr(p->err.what, p->node)
					? et_strdup(p->err.what)
					: et_asprintf("%s: %s", p->node, p->err.what),
				p->err.hint);
	}
	if (lacking.n)
		add_error(out, ENOENT, ET_EXIT_OUTSIDE,
			et_asprintf("etalon is not installed on %s", all_names(&lacking)),
			"install it there, name its path with --etalon-path, or let --engine ssh "
			"copy it with --copy");
	if (others > MOST_NAMED)
		add_finding(out, ET_PREFLIGHT_NOTE,
			et_asprintf("%zu more nodes did not answer", others - MOST_NAMED), NULL);
	if (busy.n)
		add_finding(out, ET_PREFLIGHT_NOTE,
			et_asprintf("not checked, because another job runs there: %s",
				all_names(&busy)),
			NULL);
	free(lacking.text);
	free(busy.text);
}

/* --- versions --- */

/* "1.2" of "1.2.3" */
static size_t length_of_minor(const char *version)
{
	size_t n = strcspn(version, ".");

	return version[n] ? n + 1 + strcspn(version + n + 1, ".") : n;
}

static bool same_minor(const char *a, const char *b)
{
	size_t n = length_of_minor(a);

	return n == length_of_minor(b) && !memcmp(a, b, n);
}

static void judge_versions(const struct et_node_probe *probes, size_t n, const char *version,
	int64_t schema, struct et_preflight *out)
{
	struct names other = { 0 }, patch = { 0 };
	char remark[400];

	for (size_t i = 0; i < n; i++) {
		const struct et_node_probe *p = &probes[i];
		if (p->rc)
			continue;
		if (p->schema != schema && same_minor(p->version, version)) {
			snprintf(remark, sizeof(remark), "%s with schema %lld", p->version,
				(long long)p->schema);
			add_name(&other, p->node, remark);
		} else if (p->schema != schema || !same_minor(p->version, version)) {
			add_name(&other, p->node, p->version);
		} else if (strcmp(p->version, version)) {
			add_name(&patch, p->node, p->version);
		}
	}
	snprintf(remark, sizeof(remark),
		"install version %.64s there, or let --engine ssh copy this one with --copy",
		version);
	if (other.n)
		add_error(out, EPROTO, ET_EXIT_OUTSIDE,
			et_asprintf("etalon has another version on %s; here it is %s with schema "
				    "%lld",
				all_names(&other), version, (long long)schema),
			remark);
	if (patch.n)
		add_finding(out, ET_PREFLIGHT_WARNING,
			et_asprintf("etalon is slightly older or newer on %s; here it is %s",
				all_names(&patch), version),
			remark);
	free(other.text);
	free(patch.text);
}

/* --- identities and stores --- */

static void judge_identities(const struct et_node_probe *probes, size_t n, struct et_preflight *out)
{
	for (size_t i = 0; i < n; i++) {
		struct names same = { 0 };
		bool first = !probes[i].rc;

		for (size_t k = 0; first && k < n; k++) {
			if (probes[k].rc || strcmp(probes[k].machine, probes[i].machine))
				continue;
			first = k >= i;
			add_name(&same, probes[k].node, NULL);
		}
		if (first && same.n > 1)
			add_finding(out, ET_PREFLIGHT_WARNING,
				et_asprintf("%s have the same identity, %s: their samples count as "
					    "those of one machine",
					all_names(&same), probes[i].machine),
				"set ETALON_MACHINE to another name on each, see etalon(1)");
		free(same.text);
	}
}

static void judge_stores(const struct et_node_probe *probes, size_t n, struct et_preflight *out)
{
	struct names away = { 0 };
	const char *why = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct et_node_probe *p = &probes[i];
		if (p->rc || !p->asked_store || p->reached_store)
			continue;
		add_name(&away, p->node, NULL);
		why = why ? why : p->store_error;
	}
	if (away.n)
		add_finding(out, ET_PREFLIGHT_WARNING,
			et_asprintf("the store cannot be reached from %s: %s", all_names(&away),
				why ? why : "no reason is known"),
			"their results wait in a spool there until 'etalon sync' delivers them");
	free(away.text);
}

void et_preflight_judge(const struct et_node_probe *probes, size_t n, const char *version,
	int64_t schema, struct et_preflight *out)
{
	*out = (struct et_preflight){ 0 };
	for (size_t i = 0; i < n; i++)
		out->n_answered += !probes[i].rc;
	judge_silent(probes, n, out);
	judge_versions(probes, n, version, schema, out);
	/* The server's answer is faster than that of a node, so it is the better reference. */
	if (!judge_clocks_by(probes, n, "the store's server", ahead_of_server, out))
		(void)judge_clocks_by(probes, n, "this machine", ahead_of_us, out);
	judge_identities(probes, n, out);
	judge_stores(probes, n, out);
	compare(probes, n, out);
}

void et_preflight_free(struct et_preflight *p)
{
	for (size_t i = 0; i < p->n_findings; i++) {
		free(p->findings[i].text);
		free(p->findings[i].cure);
	}
	for (size_t i = 0; i < p->n_differences; i++) {
		free(p->differences[i].factor);
		free(p->differences[i].usual);
		free(p->differences[i].others);
	}
	free(p->findings);
	free(p->differences);
}

/* --- asking and printing --- */

enum { MOST_THREADS = 16 };

struct round {
	struct et_engine *engine;
	char *const *argv;
	struct et_node_probe *probes;
	size_t n;
	atomic_size_t next;
};

static void ask(struct round *r, struct et_node_probe *p)
{
	char *text = NULL;

	p->sent_wall_ns = et_clock_real.wall_ns(NULL);
	p->rc = r->engine->ops->ask(r->engine, p->node, r->argv, NULL, &text, &p->err);
	p->got_wall_ns = et_clock_real.wall_ns(NULL);
	if (!p->rc)
		p->rc = et_probe_read(text, strlen(text), p, &p->err);
	if (p->rc == -EPROTO)
		p->rc = et_hint(&p->err, p->rc, "install etalon %s on %s", ET_VERSION, p->node);
	free(text);
}

static void *ask_some(void *arg)
{
	struct round *r = arg;

	for (size_t i; (i = atomic_fetch_add(&r->next, 1)) < r->n;)
		ask(r, &r->probes[i]);
	return NULL;
}

/* If no thread can be made, this one asks all nodes, one after the other. */
static void ask_all(struct round *r)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	pthread_t threads[MOST_THREADS];
	sigset_t all, mask;
	size_t n = 0;

	/* Signals are for the thread that waits; see ops->ask about SIGPIPE. */
	sigfillset(&all);
	(void)sigaction(SIGPIPE, &ignore, &before);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	while (n < MOST_THREADS && n + 1 < r->n && !pthread_create(&threads[n], NULL, ask_some, r))
		n++;
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	ask_some(r);
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	(void)sigaction(SIGPIPE, &before, NULL);
}

static const char *const leads[] = { "note:", "warning:", "error:" };
static const char *const styles[] = { NULL, "33", "31" };

void et_preflight_print(const struct et_preflight *p, const struct et_page *page)
{
	bool first_error = true;

	for (size_t i = 0; i < p->n_findings; i++) {
		const struct et_preflight_finding *f = &p->findings[i];
		bool is_first = f->kind == ET_PREFLIGHT_ERROR && first_error;

		first_error = first_error && !is_first;
		if (is_first)
			continue;
		et_page_say(page, (int)strlen(leads[f->kind]) + 1, leads[f->kind], styles[f->kind],
			NULL, "%s%s%s", f->text, f->cure ? "; " : "", f->cure ? f->cure : "");
	}
	if (p->n_differences)
		et_page_paragraph(page, 9, leads[ET_PREFLIGHT_WARNING],
			styles[ET_PREFLIGHT_WARNING],
			"the machines differ: the value on most of them, and (in parentheses) "
			"those with another:",
			NULL);
	for (size_t i = 0; i < p->n_differences; i++) {
		const struct et_preflight_difference *d = &p->differences[i];
		ET_AUTO_FREE char *lead = et_asprintf("  %-22.60s", d->factor);
		ET_AUTO_FREE char *clean = et_clean(lead, "");
		et_page_say(page, 25, clean, "2", NULL, "%s (%s)", d->usual, d->others);
	}
}

int et_preflight(const struct et_cli *cli, struct et_engine *engine,
	const struct et_preflight_setup *setup, FILE *out, struct et_error *err)
{
	char *argv[] = { (char *)setup->etalon, (char *)"task", (char *)"--probe",
		setup->store ? (char *)"--store" : NULL, (char *)setup->store, NULL };
	size_t n = et_strv_length(setup->nodes);
	ET_AUTO_FREE struct et_node_probe *probes = et_calloc(n + 1, sizeof(*probes));
	struct et_page page = {
		.out = out, .width = cli->columns, .color = cli->color && out == stdout
	};
	struct round r = { .engine = engine, .argv = argv, .probes = probes, .n = n };
	struct et_preflight result;

	for (size_t i = 0; i < n; i++)
		probes[i].node = et_strdup(setup->nodes[i]);
	ask_all(&r);
	et_preflight_judge(probes, n, ET_VERSION, et_store_schema_version(), &result);
	if (cli->verbosity >= 0)
		et_preflight_print(&result, &page);
	if (cli->verbosity > 0)
		fprintf(out, "%zu of %zu nodes answered\n", result.n_answered, n);
	int rc = result.rc;
	if (rc)
		*err = result.err;
	et_preflight_free(&result);
	for (size_t i = 0; i < n; i++)
		et_probe_free(&probes[i]);
	return rc;
}
