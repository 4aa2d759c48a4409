/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges the answers of all nodes. Nothing here asks anybody. */
#include "base/alloc.h"
#include "campaign/preflight_parts.h"

#include <errno.h>
#include <string.h>

/* A list of names in words: the first few, and how many more there are. */
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

static void end_names(struct names *l)
{
	if (l->n > MOST_NAMED)
		et_append(&l->text, " ", "and %zu more", l->n - MOST_NAMED);
}

static struct et_preflight_finding *add_finding(
	struct et_preflight *out, enum et_preflight_kind kind, char *text, const char *cure)
{
	ET_GROW(out->findings, out->n_findings, out->room_findings);
	struct et_preflight_finding *f = &out->findings[out->n_findings++];
	*f = (struct et_preflight_finding){ kind, text, cure ? et_strdup(cure) : NULL };
	return f;
}

void et_preflight_add_error(
	struct et_preflight *out, int errnum, enum et_exit exit, char *text, const char *cure)
{
	if (!out->rc) {
		out->rc = et_fail(&out->err, errnum, exit, "%s", text);
		if (cure && cure[0])
			out->rc = et_hint(&out->err, out->rc, "%s", cure);
	}
	add_finding(out, ET_PREFLIGHT_ERROR, text, cure && cure[0] ? cure : NULL);
}

/* --- nodes that did not answer --- */

static void judge_silent(const struct et_node_probe *probes, size_t n, struct et_preflight *out)
{
	ET_AUTO_FREE char *lacking_text = NULL, *busy_text = NULL;
	struct names lacking = { 0 }, busy = { 0 };
	size_t others = 0;

	for (size_t i = 0; i < n; i++) {
		const struct et_node_probe *p = &probes[i];
		if (p->rc == -EAGAIN)
			add_name(&busy, p->node, NULL);
		else if (p->rc == -ENOENT)
			add_name(&lacking, p->node, NULL);
		else if (p->rc && others++ < MOST_NAMED)
			et_preflight_add_error(out, -p->rc,
				p->err.exit ? p->err.exit : ET_EXIT_OUTSIDE,
				strstr(p->err.what, p->node)
					? et_strdup(p->err.what)
					: et_asprintf("%s: %s", p->node, p->err.what),
				p->err.hint);
	}
	end_names(&lacking);
	end_names(&busy);
	lacking_text = lacking.text;
	busy_text = busy.text;
	if (lacking.n)
		et_preflight_add_error(out, ENOENT, ET_EXIT_OUTSIDE,
			et_asprintf("etalon is not installed on %s", lacking_text),
			"install it there, name its path with --etalon-path, or let --engine ssh "
			"copy it with --copy");
	if (others > MOST_NAMED)
		add_finding(out, ET_PREFLIGHT_NOTE,
			et_asprintf("%zu more nodes did not answer", others - MOST_NAMED), NULL);
	if (busy.n)
		add_finding(out, ET_PREFLIGHT_NOTE,
			et_asprintf("not checked, because another job runs there: %s", busy_text),
			NULL);
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
	end_names(&other);
	end_names(&patch);
	snprintf(remark, sizeof(remark),
		"install version %.64s there, or let --engine ssh copy this one with --copy",
		version);
	if (other.n)
		et_preflight_add_error(out, EPROTO, ET_EXIT_OUTSIDE,
			et_asprintf("etalon has another version on %s; here it is %s with schema "
				    "%lld",
				other.text, version, (long long)schema),
			remark);
	if (patch.n)
		add_finding(out, ET_PREFLIGHT_WARNING,
			et_asprintf("etalon is slightly older or newer on %s; here it is %s",
				patch.text, version),
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
		end_names(&same);
		if (first && same.n > 1)
			add_finding(out, ET_PREFLIGHT_WARNING,
				et_asprintf("%s have the same identity, %s: their samples count as "
					    "those of one machine",
					same.text, probes[i].machine),
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
	end_names(&away);
	if (away.n)
		add_finding(out, ET_PREFLIGHT_WARNING,
			et_asprintf("the store cannot be reached from %s: %s", away.text,
				why ? why : "no reason is known"),
			"their results wait in a spool there until 'etalon sync' delivers them");
	free(away.text);
}

void et_preflight_judge(const struct et_node_probe *probes, size_t n, const char *version,
	int64_t schema, struct et_preflight *out)
{
	*out = (struct et_preflight){ .n_nodes = n };
	for (size_t i = 0; i < n; i++)
		out->n_answered += !probes[i].rc;
	judge_silent(probes, n, out);
	judge_versions(probes, n, version, schema, out);
	et_preflight_clocks(probes, n, out);
	judge_identities(probes, n, out);
	judge_stores(probes, n, out);
	et_preflight_compare(probes, n, out);
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
