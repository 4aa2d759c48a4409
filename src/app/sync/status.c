/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `sync --status`: what waits in the spool. */
#include "app/sync/sync.h"
#include "base/display.h"
#include "model/experiment/field_rows.h"
#include "report/listing.h"
#include "source/stored.h"

#include <inttypes.h>

static const struct et_field entry_fields[] = {
	ET_KEY(et_outbox_entry, "id", experiment),
	ET_KEYS(et_outbox_entry, label),
	ET_KEY_NAME(et_outbox_entry, "state", state, et_state_names),
	ET_KEY(et_outbox_entry, "samples", n_samples),
	ET_KEYS(et_outbox_entry, destination),
	ET_KEY_BY(et_outbox_entry, "queued", queued_wall_ns, et_time_json),
	ET_KEY_BY(et_outbox_entry, "delivered", delivered_wall_ns, et_time_json),
	ET_KEY_BY(et_outbox_entry, "tried", tried_wall_ns, et_time_json),
	ET_KEYS(et_outbox_entry, error),
	{ 0 },
};

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
		et_fields_object(&w, NULL, entry_fields, &all->list[i]);
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
