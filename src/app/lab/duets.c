/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab duet-bias`: pairs of programs side by side and alone. */
#include "app/lab/experiments.h"
#include "app/lab/measured.h"
#include "base/alloc.h"
#include "base/display.h"
#include "base/parse.h"
#include "conduct/measuring.h"
#include "lab/duet_bias.h"
#include "measure/child/child.h"
#include "measure/child/metronome.h"
#include "source/stored.h"

#include <errno.h>
#include <string.h>

#define PUT "{etalon} put "

/* Programs of 25 to 50 ms. {etalon} and {bash} are replaced by the paths of these two. */
static const struct pair {
	const char *name;
	enum et_pair_design design;
	const char *program; /* another one that must be installed; NULL: none */
	const char *a, *b;
} pairs[] = {
	{ "registers", ET_PAIR_ONE_KIND, NULL, PUT "inc --iterations 75000000",
		PUT "inc --iterations 86250000" },
	{ "l1-reads", ET_PAIR_ONE_KIND, NULL, PUT "chase --size 24 --iterations 15000000",
		PUT "chase --size 24 --iterations 17250000" },
	{ "l2-reads", ET_PAIR_ONE_KIND, NULL, PUT "chase --size 600 --iterations 4000000",
		PUT "chase --size 600 --iterations 4600000" },
	{ "l3-reads", ET_PAIR_ONE_KIND, NULL, PUT "chase --size 6144 --iterations 400000",
		PUT "chase --size 6144 --iterations 500000" },
	{ "calls", ET_PAIR_ONE_KIND, NULL, PUT "calls --iterations 200000",
		PUT "calls --iterations 230000" },
	{ "pages", ET_PAIR_ONE_KIND, NULL, PUT "pages --iterations 10",
		PUT "pages --iterations 12" },
	{ "sort", ET_PAIR_ONE_KIND, NULL, PUT "sort --size 20000", PUT "sort --size 22000" },
	{ "gzip", ET_PAIR_ONE_KIND, "gzip", "gzip -c -1 {bash}", "gzip -c -3 {bash}" },
	{ "awk", ET_PAIR_ONE_KIND, "awk", "awk 'BEGIN { for (i = 0; i < 300000; i++) s += i }'",
		"awk 'BEGIN { for (i = 0; i < 375000; i++) s += i }'" },
	{ "perl", ET_PAIR_ONE_KIND, "perl", "perl -e 'for (1..150000) { $h{$_ % 5000} .= $_ % 7 }'",
		"perl -e 'for (1..180000) { $h{$_ % 5000} .= $_ % 7 }'" },
	{ "registers-same", ET_PAIR_IDENTICAL, NULL, PUT "inc --iterations 75000000",
		PUT "inc --iterations 75000000" },
	{ "l2-reads-same", ET_PAIR_IDENTICAL, NULL, PUT "chase --size 600 --iterations 4000000",
		PUT "chase --size 600 --iterations 4000000" },
	{ "gzip-same", ET_PAIR_IDENTICAL, "gzip", "gzip -c -1 {bash}", "gzip -c -1 {bash}" },
	{ "registers-l2", ET_PAIR_DIFFERENT, NULL, PUT "inc --iterations 90000000",
		PUT "chase --size 600 --iterations 4000000" },
	{ "registers-calls", ET_PAIR_DIFFERENT, NULL, PUT "inc --iterations 75000000",
		PUT "calls --iterations 200000" },
	{ "l1-pages", ET_PAIR_DIFFERENT, NULL, PUT "chase --size 24 --iterations 15000000",
		PUT "pages --iterations 10" },
	{ "gzip-sort", ET_PAIR_DIFFERENT, "gzip", "gzip -c -1 {bash}", PUT "sort --size 20000" },
	{ "perl-awk", ET_PAIR_DIFFERENT, "perl", "perl -e 'for (1..500000) { $s += $_ }'",
		"awk 'BEGIN { for (i = 0; i < 375000; i++) s += i }'" },
};

const char *et_lab_pair_name(size_t i)
{
	return i < ET_LENGTH(pairs) ? pairs[i].name : NULL;
}

/* The state of the study. */
struct study {
	struct et_lab_request *r;
	char exe[PATH_MAX];
	char *bash; /* or NULL */
	struct et_duet_bias result;
};

static char *find(const char *program)
{
	const char *path = getenv("PATH");
	char *found = NULL;

	return et_child_resolve(program, path, NULL, &found, NULL) ? NULL : found;
}

static bool installed(const struct study *s, const struct pair *p)
{
	ET_AUTO_FREE char *found = p->program ? find(p->program) : NULL;

	return (!p->program || found) && (!strstr(p->a, "{bash}") || s->bash);
}

static int add_command(
	const struct study *s, struct et_experiment *e, const char *line, struct et_error *err)
{
	char **argv;
	int rc = et_split_words(line, &argv, err);

	if (rc)
		return rc;
	for (char **word = argv; *word; word++) {
		const char *path = !strcmp(*word, "{etalon}") ? s->exe
				   : !strcmp(*word, "{bash}") ? s->bash
							      : NULL;
		if (!path)
			continue;
		free(*word);
		*word = et_strdup(path);
	}
	et_experiment_add_command(e, et_asprintf("%zu", e->n_commands + 1), argv);
	return 0;
}

static char *label_of(const struct study *s, const struct pair *p, enum et_duet_way way)
{
	const struct et_lab_measure *m = &s->r->measure;
	const char *label = m->from ? m->from : m->label ? m->label : "lab duet-bias";

	return et_asprintf("%s/%s/%s", label, p->name, et_duet_way_names[way]);
}

/* Measures a pair in one way; *out is NULL if that way is not possible here. */
static int measure(const struct study *s, const struct pair *p, enum et_duet_way way,
	struct et_experiment **out, struct et_error *err)
{
	const struct et_lab_request *r = s->r;
	struct et_experiment *e = et_experiment_new();

	e->label = label_of(s, p, way);
	e->protocol = ET_PROTOCOL_RAW;
	e->plan.order = ET_ORDER_AUTO;
	e->plan.runs = r->measure.runs ? (uint32_t)r->measure.runs : 100;
	e->plan.seed = r->asked.seed;
	int rc = add_command(s, e, p->a, err);
	if (rc == 0)
		rc = add_command(s, e, p->b, err);
	e->plan.metronome_ns = way == ET_BY_METRONOME ? et_metronome_choose(e) : 0;
	if (rc || (way == ET_BY_METRONOME && !e->plan.metronome_ns)) {
		et_experiment_free(e);
		return rc;
	}
	return et_measure(r->cli, r->interrupt, e, NULL, NULL, out, err);
}

/* Loads what --from names; a pair that was not measured is none. */
static int load(const struct study *s, const struct pair *p, enum et_duet_way way,
	struct et_experiment **out)
{
	ET_AUTO_FREE char *label = label_of(s, p, way);
	struct et_error ignored;
	int rc = et_stored_fetch(s->r->cli, label, out, &ignored);

	if (rc)
		*out = NULL;
	return rc == -ENOENT ? 0 : rc;
}

static int study_pair(struct study *s, const struct pair *p, struct et_error *err)
{
	struct et_experiment *e[ET_DUET_WAYS] = { NULL };
	struct et_duet_pair found = { .name = p->name, .design = p->design };
	struct et_duet_options o = { .seed = s->r->asked.seed,
		.repetitions = s->result.repetitions,
		.progress = { et_lab_draw_progress, s->r, NULL } };
	int rc = 0;

	for (int w = 0; rc == 0 && w < ET_DUET_WAYS; w++)
		rc = s->r->measure.from ? load(s, p, (enum et_duet_way)w, &e[w])
					: measure(s, p, (enum et_duet_way)w, &e[w], err);
	if ((rc == 0 || rc == -EINTR) && (e[0] || e[1])) {
		s->r->name = p->name;
		if (!et_duet_bias_judge((const struct et_experiment *const *)e, &o, &found))
			rc = -EINTR;
		et_progress_erase(&s->r->progress);
		s->result.pairs[s->result.n++] = found;
	}
	et_experiment_free(e[0]);
	et_experiment_free(e[1]);
	return rc;
}

static int study_pairs(struct study *s, struct et_error *err)
{
	const struct et_lab_request *r = s->r;
	int rc = et_program_find("etalon", s->exe, err);

	for (size_t i = 0; rc == 0 && i < ET_LENGTH(pairs); i++) {
		bool chosen = !r->measure.pairs || r->measure.pairs >> i & 1;
		if (chosen && (r->measure.from || installed(s, &pairs[i])))
			rc = study_pair(s, &pairs[i], err);
	}
	if (rc == 0 && !s->result.n)
		rc = et_fail(err, ENOENT, ET_EXIT_OUTSIDE,
			"lab duet-bias: no experiment is stored under this label, or no program is "
			"installed");
	return rc;
}

int et_lab_duet_bias(struct et_call *call, struct et_error *err)
{
	struct et_lab_request *r = call->ctx;
	struct study s = { .r = r,
		.bash = find("bash"),
		.result = { .seed = r->asked.seed,
			.repetitions = r->given & ET_LAB_REPETITIONS ? r->asked.repetitions : 300,
			.pairs = et_calloc(ET_LENGTH(pairs), sizeof(struct et_duet_pair)) } };
	int rc = study_pairs(&s, err);

	if ((rc == 0 || rc == -EINTR) && (r->given & ET_LAB_JSON))
		et_duet_bias_json(&s.result, r->page.out);
	else if (rc == 0 || rc == -EINTR)
		et_duet_bias_text(&s.result, &r->page);
	if (rc == -EINTR)
		et_say(stderr, "etalon: interrupted; every finished sample is stored\n");
	free(s.result.pairs);
	free(s.bash);
	return rc;
}
