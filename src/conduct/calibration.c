/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "conduct/calibration.h"
#include "base/alloc.h"
#include "base/json.h"
#include "base/memstream.h"
#include "cli/cli.h"
#include "host/host.h"
#include "put/calibration.h"
#include "store/core/store.h"

#include <string.h>

static char *calibration_text(const char *cpu, double rate)
{
	struct et_memstream s;
	struct et_json w;

	et_json_init(&w, et_memstream_open(&s), 0);
	et_json_object(&w, NULL);
	et_json_string(&w, "cpu", cpu);
	et_json_double(&w, "increments_per_second", rate);
	et_json_end(&w);
	return et_memstream_close(&s);
}

/* The calibration is of use to people only, so a failure is no error of the delivery. */
void et_calibration_spool(struct et_store *spool)
{
	static const char key[] = "put-calibration";
	ET_AUTO_FREE char *dir = et_cli_state_dir(), *stored = NULL;
	struct et_experiment named = { 0 };
	struct et_error ignored;
	double rate = 0;

	et_host_read("", &named.host);
	et_host_identity("", named.machine, sizeof(named.machine));
	if (!dir || !named.machine[0] ||
		et_calibration_read(dir, named.host.cpu, &rate, &ignored) ||
		et_store_get_fact(spool, named.machine, key, &stored, &ignored))
		return;
	ET_AUTO_FREE char *text = calibration_text(named.host.cpu, rate);
	if (!stored || strcmp(stored, text) != 0)
		(void)!et_store_set_fact(spool, named.machine, key, text, &ignored);
}
