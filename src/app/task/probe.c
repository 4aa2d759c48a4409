/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon task --probe`: describes this machine to the etalon that wants to use it. */
#include "campaign/probe.h"
#include "base/clock.h"
#include "base/json.h"
#include "cli/environment.h"
#include "cli/server.h"
#include "host/factors.h"
#include "host/host.h"
#include "model/experiment/field.h"
#include "report/environment.h"
#include "store/core/store.h"

/* The server read its clock between two readings of ours: half of the round trip is the doubt. */
static void write_clock(struct et_json *j, struct et_store *s)
{
	struct et_error err = { 0 };
	int64_t server_ns = 0;
	uint64_t before_ns = et_clock_real.wall_ns(NULL);
	int rc = et_store_clock(s, &server_ns, &err);
	uint64_t after_ns = et_clock_real.wall_ns(NULL);

	if (rc || after_ns < before_ns)
		return;
	uint64_t doubt_ns = (after_ns - before_ns) / 2 + 1000; /* it answers in microseconds */
	et_json_int(j, "clock_offset_ns",
		(int64_t)(before_ns + (after_ns - before_ns) / 2) - server_ns);
	et_json_u64(j, "clock_doubt_ns", doubt_ns);
}

static void write_store(struct et_json *j, const char *url)
{
	struct et_error err = { 0 };
	struct et_store *s = NULL;

	if (!url) {
		et_json_null(j, "store");
		return;
	}
	int rc = et_server_open(url, ET_STORE_READ, &s, &err);
	et_json_object(j, "store");
	et_json_bool(j, "reachable", rc == 0);
	et_json_string(j, "error", rc ? err.what : NULL);
	if (!rc)
		write_clock(j, s);
	et_json_end(j);
	et_store_close(s);
}

int et_task_probe(const char *url, FILE *out, struct et_error *err)
{
	const char *node = getenv("SLURMD_NODENAME");
	struct et_findings f = { 0 };
	struct et_machine m;
	struct et_json j;
	char identity[256];
	bool *all = et_env_select(&(struct et_env_wish){ 0 }, false, err);

	if (!all)
		return -EINVAL;
	et_cli_machine(&m);
	et_host_identity(m.root, identity, sizeof(identity));
	et_factors_check(&m, all, &f);
	et_json_init(&j, out, 0);
	et_json_object(&j, NULL);
	et_json_int(&j, "etalon_probe", 1);
	et_json_string(&j, "machine", identity);
	et_json_string(&j, "node", node ? node : "");
	et_json_string(&j, "version", ET_VERSION);
	et_json_int(&j, "schema", et_store_schema_version());
	et_json_object(&j, "host");
	et_fields_write(&j, et_host_fields, &m.host);
	et_json_end(&j);
	et_findings_write(&f, &j, "environment");
	write_store(&j, url);
	/* Last, so that it is near the time at which the answer arrives. */
	et_json_u64(&j, "wall_ns", et_clock_real.wall_ns(NULL));
	et_json_end(&j);
	et_findings_free(&f);
	et_machine_free(&m);
	free(all);
	return et_cli_close_output(out, "-", err);
}
