/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which samples of a daemon run are successive, and which are pairs. */
#include "model/sample/daemon.h"
#include "tap.h"

int main(void)
{
	struct et_daemon_run run = { .sample_seconds = 10, .whole = true };
	static const struct {
		uint32_t number;
		double at_s;
	} samples[] = { { 1, 0 }, { 2, 10 }, { 3, 20 }, { 4, 30 }, { 6, 50 }, { 7, 60 },
		{ 8, 5000 }, { 9, 5010 }, { 10, 5060 } };
	struct et_daemon_record r = { 0 };
	char pairs[16] = "", successive[16] = "";

	for (size_t i = 0; i < 9; i++) {
		struct et_daemon_sample *w =
			et_daemon_run_add(&run, samples[i].number, samples[i].at_s);
		w->elapsed_ms = i == 7 ? 49000 : 9000;
	}
	for (size_t i = 0; i < 9; i++) {
		successive[i] = et_daemon_successive(&run, i) ? 'x' : '.';
		pairs[i] = et_daemon_pair(&run, i) ? 'x' : '.';
	}
	ok(!strcmp(successive, "xxx.x.xx."),
		"successive: neither over a missing sample nor over a pause, but after a long one: "
		"%s",
		successive);
	ok(!strcmp(pairs, "x.x....x."), "pairs: 1 and 2, 3 and 4, 9 and 10, and no other: %s",
		pairs);
	r.short_run = run;
	et_daemon_record_free(&r);
	return tap_done();
}
