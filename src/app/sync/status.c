/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `sync --status`: what waits in the spool. */
#include "app/sync/sync.h"
#include "base/display.h"
#include "base/json.h"
#include "source/stored.h"

#include <inttypes.h>

static void write_time(struct et_json *w, const char *key, uint64_t wall_ns)
{
	char text[32];

	et_json_string(w, key, wall_ns ? et_format_rfc3339(wall_ns, text) : NULL);
}

static void write_entry(struct et_json *w, const struct et_outbox_entry *entry)
{
	et_json_object(w, NULL);
	et_json_string(w, "id", entry->experiment);
	et_json_string(w, "label", entry->label);
	et_json_string(w, "state", et_state_names[entry->state]);
	et_json_u64(w, "samples", entry->n_samples);
	et_json_string(w, "destination", entry->destination);
	write_time(w, "queued", entry->queued_wall_ns);
	write_time(w, "delivered", entry->delivered_wall_ns);
	write_time(w, "tried", entry->tried_wall_ns);
	et_json_string(w, "error", entry->error);
	et_json_end(w);
}

static void print_json(const char *path, const struct et_outbox *all)
{
	struct et_json w;
	size_t waiting = 0;

	for (size_t i = 0; i < all->n; i++)
		waiting += !all->list[i].delivered_wall_ns;
	et_json_init(&w, stdout, 2);
	et_json_object(&w, NULL);
	et_json_string(&w, "spool", path);
	et_json_u64(&w, "waiting", waiting);
	et_json_array(&w, "experiments");
	for (size_t i = 0; i < all->n; i++)
		write_entry(&w, &all->list[i]);
	et_json_end(&w);
	et_json_end(&w);
}

static void print_entry(const struct et_outbox_entry *entry)
{
	char since[32];
	ET_AUTO_FREE char *label = et_clean(entry->label ? entry->label : "", "");
	ET_AUTO_FREE char *url = et_clean(entry->destination, "");
	ET_AUTO_FREE char *error = entry->error ? et_clean(entry->error, "") : NULL;

	printf("%s%s%s%s: %" PRIu64 " sample%s for %s, since %s\n", entry->experiment,
		*label ? " (" : "", label, *label ? ")" : "", entry->n_samples,
		entry->n_samples == 1 ? "" : "s", url,
		et_format_rfc3339(entry->queued_wall_ns, since));
	if (error)
		printf("  latest attempt: %s: %s\n", et_format_rfc3339(entry->tried_wall_ns, since),
			error);
}

static void print_text(const char *path, const struct et_outbox *all)
{
	size_t waiting = 0, delivered = 0;
	ET_AUTO_FREE char *clean = et_clean(path, "");

	for (size_t i = 0; i < all->n; i++) {
		if (all->list[i].delivered_wall_ns) {
			delivered++;
		} else {
			waiting++;
			print_entry(&all->list[i]);
		}
	}
	printf("%zu wait%s to be delivered, %zu %s delivered; spool: %s\n", waiting,
		waiting == 1 ? "s" : "", delivered, delivered == 1 ? "was" : "were", clean);
}

int et_sync_status(const struct et_cli *cli, const struct et_sync *o, struct et_error *err)
{
	ET_AUTO_FREE char *path = NULL;
	struct et_outbox all = { 0 };
	struct et_store *spool = NULL;
	int rc = et_stored_spool_path(&path, err);

	(void)cli;
	if (!rc && access(path, F_OK) == 0) {
		rc = et_spool_open(path, ET_STORE_READ, NULL, NULL, &spool, err);
		if (!rc)
			rc = et_outbox_read(spool, &all, err);
		et_store_close(spool);
	}
	if (rc)
		return rc;
	(o->json ? print_json : print_text)(path, &all);
	et_outbox_free(&all);
	return et_cli_close_output(stdout, "-", err);
}
