/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/steal.h"
#include "tap.h"

static const char text[] = "cpu  10 0 10 100 0 0 0 30 0 0\n"
			   "cpu0 5 0 5 50 0 0 0 10 0 0\n"
			   "cpu1 5 0 5 50 0 0 0 20 0 0\n"
			   "intr 12345 1 2 3\nctxt 99\n";

int main(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(1, &one);
	ok(et_steal_parse(text, NULL, 100).steal_ns == 300000000 &&
			et_steal_parse(text, NULL, 100).busy_ns == 200000000,
		"all CPUs, the sum line not counted");
	ok(et_steal_parse(text, &one, 100).steal_ns == 200000000, "one CPU");
	ok(et_steal_parse("", NULL, 100).steal_ns == ET_UNKNOWN, "nothing told");
	ok(et_steal_parse("cpu0 1 2 3\n", NULL, 100).steal_ns == ET_UNKNOWN,
		"a kernel without steal");
	ok(et_steal_parse("cpu-1 1 2 3 4 5 6 7 8\ncpu99999 1 2 3 4 5 6 7 8\n", NULL, 100)
				.steal_ns == ET_UNKNOWN,
		"impossible CPUs");

	struct et_steal s;
	et_steal_open(&s, true);
	uint64_t a = et_steal_read(&s, NULL).steal_ns;
	ok(a != ET_UNKNOWN && et_steal_read(&s, NULL).steal_ns >= a, "the real file, rising");
	et_steal_close(&s);
	et_steal_open(&s, false);
	ok(et_steal_read(&s, NULL).steal_ns == 0, "nothing is stolen without a hypervisor");
	et_steal_close(&s);
	struct et_stolen from = { 100, 1000 }, to = { 160, 1200 }, none = { ET_UNKNOWN, 0 };
	ok(et_steal_share_ns(from, to, 200) == 60, "who alone was busy bears all of it");
	ok(et_steal_share_ns(from, to, 50) == 15, "a quarter of the work, a quarter of the loss");
	ok(et_steal_share_ns(from, to, 0) == 0, "a sleeper loses nothing");
	ok(et_steal_share_ns(to, from, 50) == 0, "a CPU gone offline");
	ok(et_steal_share_ns(none, to, 50) == ET_UNKNOWN, "not told");
	return tap_done();
}
