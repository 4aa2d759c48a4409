/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The experiments of a label whose machines are compared, and the parts of a study. */
#include "source/chosen.h"
#include "../store/fresh_store.h"
#include "../store/specimen.h"
#include "source/studies.h"

#include <errno.h>

static const struct et_cli cli;
static struct et_store *store;
static struct et_chosen chosen;
static unsigned kept; /* experiments so far; each is newer than those before it */

/* lab: the experiment of lab if it is a part of a study, whose name is the label, else NULL. */
static void keep_part(
	const char *label, const char *machine, const char *host, const char *lab, const char *part)
{
	char id[40];

	snprintf(id, sizeof(id), "20251115-%02u%02u%02u-%06x", kept / 3600, kept / 60 % 60,
		kept % 60, kept);
	struct et_experiment *e = specimen(id);
	free(e->label);
	e->label = NULL;
	free(e->member.study);
	free(e->member.study_lab);
	free(e->member.study_part);
	e->member = (struct et_member){ 0 };
	if (lab)
		et_study_join(e, label, lab, part);
	else
		e->label = et_strdup(label);
	e->started_wall_ns = UINT64_C(1763164800000000000) + kept * UINT64_C(1000000000);
	snprintf(e->machine, sizeof(e->machine), "%s", machine);
	snprintf(e->host.name, sizeof(e->host.name), "%s", host);
	if (et_store_keep(store, e, &err))
		tap_bail("%s", err.what);
	et_experiment_free(e);
	kept++;
}

static void keep(const char *label, const char *machine, const char *host)
{
	keep_part(label, machine, host, NULL, NULL);
}

static void forget(void)
{
	et_chosen_free(&chosen);
	chosen = (struct et_chosen){ 0 };
	err = (struct et_error){ 0 };
}

static size_t count_of(const char *machine)
{
	size_t n = 0;

	for (size_t i = 0; i < chosen.n_list; i++)
		n += !strcmp(chosen.list[i]->machine, machine);
	return n;
}

static void limits(void)
{
	for (int i = 0; i < 23; i++)
		keep("nightly", "a", "n1");
	keep("nightly", "b", "n2");
	keep("nightly", "", "n3");
	keep("nightly", "", "n4");
	keep("other", "a", "n1");
	ok(et_chosen_add(&chosen, &cli, "nightly", &err) == 0, "chosen: a label is found");
	ok(count_of("a") == 20 && count_of("b") == 1,
		"chosen: at most 20 of a machine, and all of one that has fewer");
	ok(count_of("") == 2, "chosen: without an identity the host is the machine");
	ok(chosen.n_list == 23 && chosen.n == 23, "chosen: nothing of another label");
	bool newest = true;
	for (size_t i = 1; i < chosen.n_list; i++)
		newest = newest &&
			 chosen.list[i]->started_wall_ns < chosen.list[i - 1]->started_wall_ns;
	ok(newest, "chosen: the newest come first");
	ok(et_chosen_add(&chosen, &cli, "other", &err) == 0 && chosen.n_list == 24,
		"chosen: a second label is added to the first");
	ok(et_chosen_add(&chosen, &cli, "absent", &err) == -ENOENT && chosen.n == 24 &&
			chosen.n_list == 24,
		"chosen: a name that means nothing leaves the choice as it was");
	forget();
	ok(et_chosen_add(&chosen, &cli, "20251115-000001-000001", &err) == 0 && chosen.n_list == 1,
		"chosen: an id is one experiment");
	forget();
}

static bool is_letter(void *ctx, const char *part)
{
	(void)ctx;
	return strlen(part) == 1;
}

/* Whether the name means this study (NULL: none), with this many parts. */
static void finds(const char *name, const char *want, size_t parts, const char *label)
{
	struct et_study_parts p = { .lab = "triangle", .is_part = is_letter };
	char id[40] = "";
	int rc = et_studies_find(&p, store, name, id, &err);

	if (rc)
		printf("# %s\n", err.what);
	is_str(rc ? NULL : p.study, want, "study: %s", label);
	ok(!want || p.n == parts, "study: %s: it has %zu parts", label, parts);
	et_study_parts_free(&p);
}

static void studies(void)
{
	keep_part("s/20251115-000000", "a", "n1", "triangle", "a"); /* the 28th: 00001b */
	keep_part("s/20251115-111111", "a", "n1", "triangle", "a");
	keep_part("s/20251115-111111", "a", "n1", "triangle", "b");
	keep_part("st/20251115-222222", "a", "n1", "triangle", "b");
	keep_part("v/20251115-222222", "a", "n1", "emp-versions", "b");
	keep("o/20251115-333333/a", "a", "n1");
	keep("u/20251115-333333/main", "a", "n1");
	finds("s", "s/20251115-111111", 2, "a label means its newest study");
	finds("s/20251115-000000", "s/20251115-000000", 1, "LABEL/TIME is the name of a study");
	finds("20251115-000027-00001b", "s/20251115-000000", 1,
		"the id of an experiment means its study");
	finds("st", "st/20251115-222222", 1, "a label is not found by its beginning");
	finds("v", NULL, 0, "a study of another experiment of lab is none of this one");
	finds("o/20251115-333333", "o/20251115-333333", 1,
		"an old record is found by LABEL/TIME if its part has the right name");
	finds("u", NULL, 0, "a label of the shape LABEL/TIME/PART makes no study");
	finds("other", NULL, 0, "an experiment that stands alone is no study");
	finds("absent", NULL, 0, "a name that means nothing is refused");
}

int main(void)
{
	make_folder();
	setenv("ETALON_STORE", path, 1);
	store = open_store();
	limits();
	studies();
	et_store_close(store);
	ET_AUTO_FREE char *text = et_asprintf("rm -rf '%s'", folder);
	return system(text) ? 1 : tap_done();
}
