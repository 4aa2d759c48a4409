/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/chosen.h"
#include "source/stored.h"
#include "store/central/campaign.h"
#include "store/core/machines.h"

/* The experiments in memory at the same time; those of one label; those of one machine in it. */
enum { MOST = 2000, MOST_OF_LABEL = 1000, MOST_EACH = 20 };

/* How many experiments of a label a machine has. */
struct machine_count {
	char *key; /* its identity, or its host */
	size_t n;
};

static void choose(struct et_chosen *c, const char *id, size_t rank)
{
	ET_GROW(c->choices, c->n, c->cap);
	c->choices[c->n++] = (struct et_chosen_one){ et_strdup(id), rank };
}

struct label {
	struct et_chosen *chosen;
	struct machine_count *machines;
	size_t n, cap;
};

static int choose_newest(void *ctx, const char *id, const char *machine, const char *host)
{
	struct label *l = ctx;
	ET_AUTO_FREE char *key = *machine ? et_strdup(machine) : et_asprintf("\n%s", host);
	size_t i = 0;

	while (i < l->n && strcmp(l->machines[i].key, key) != 0)
		i++;
	if (i == l->n) {
		ET_GROW(l->machines, l->n, l->cap);
		l->machines[l->n++] = (struct machine_count){ et_strdup(key), 0 };
	}
	if (l->machines[i].n < MOST_EACH)
		choose(l->chosen, id, l->machines[i].n++);
	return 0;
}

/* The newest experiments of each machine; of many machines fewer, but two. */
static int choose_label(
	struct et_chosen *c, struct et_store *s, const char *name, struct et_error *err)
{
	struct label l = { .chosen = c };
	size_t first = c->n, kept = first;
	int rc = et_store_list_label(s, name, choose_newest, &l, err);
	size_t each = l.n ? MOST_OF_LABEL / l.n : 0;

	if (each < 2)
		each = l.n <= MOST / 2 ? 2 : 1;
	for (size_t i = first; i < c->n; i++) {
		if (c->choices[i].rank < each)
			c->choices[kept++] = c->choices[i];
		else
			free(c->choices[i].id);
	}
	c->n = kept;
	for (size_t i = 0; i < l.n; i++)
		free(l.machines[i].key);
	free(l.machines);
	return rc;
}

static int choose_parts(
	struct et_chosen *c, struct et_store *s, const char *id, struct et_error *err)
{
	struct et_campaign *campaign;
	int rc = et_campaign_load(s, id, &campaign, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < campaign->n_parts; i++) {
		if (campaign->parts[i].state == ET_PART_DONE)
			choose(c, campaign->parts[i].experiment, 0);
	}
	et_campaign_free(campaign);
	return 0;
}

static int choose_name(
	void *ctx, struct et_store *s, const char *name, char id[40], struct et_error *err)
{
	struct et_chosen *c = ctx;
	size_t before = c->n;
	int rc = et_campaign_find(s, name, false, id, err);

	if (rc == 0 && strcmp(name, "last") != 0)
		return choose_parts(c, s, id, err);
	if (rc == 0 || rc == -ENOENT)
		rc = choose_label(c, s, name, err);
	if (rc == 0 && c->n > before) {
		memcpy(id, c->choices[before].id, strlen(c->choices[before].id) + 1);
	} else if (rc == 0) {
		rc = et_store_find(s, name, id, err);
		if (rc == 0)
			choose(c, id, 0);
	}
	while (rc && c->n > before)
		free(c->choices[--c->n].id);
	return rc;
}

/* Loads the choices that are not loaded yet. */
static int load(struct et_chosen *c, struct et_store *s, struct et_error *err)
{
	int rc = 0;

	if (c->n > MOST)
		return et_fail(err, E2BIG, ET_EXIT_USAGE,
			"compare --by machine takes at most %d experiments", MOST);
	c->list = et_realloc(c->list, c->n + 1, sizeof(struct et_experiment *));
	while (rc == 0 && c->n_list < c->n) {
		rc = et_store_load(s, c->choices[c->n_list].id, &c->list[c->n_list], err);
		c->n_list += rc == 0;
	}
	return rc;
}

int et_chosen_add_parts(
	struct et_chosen *c, struct et_store *s, const char *id, struct et_error *err)
{
	int rc = choose_parts(c, s, id, err);

	return rc ? rc : load(c, s, err);
}

int et_chosen_add(
	struct et_chosen *c, const struct et_cli *cli, const char *name, struct et_error *err)
{
	struct et_store *store;
	char id[40];
	int rc = et_stored_search(cli, name, choose_name, c, &store, id, err);

	if (rc)
		return rc;
	rc = load(c, store, err);
	et_store_close(store);
	return rc;
}

void et_chosen_free(struct et_chosen *c)
{
	for (size_t i = 0; i < c->n_list; i++)
		et_experiment_free(c->list[i]);
	for (size_t i = 0; i < c->n; i++)
		free(c->choices[i].id);
	free(c->list);
	free(c->choices);
}
