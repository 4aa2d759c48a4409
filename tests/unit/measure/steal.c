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
	ok(et_steal_parse_ns(text, NULL, 100) == 300000000, "all CPUs, the sum line not counted");
	ok(et_steal_parse_ns(text, &one, 100) == 200000000, "one CPU");
	ok(et_steal_parse_ns("", NULL, 100) == ET_UNKNOWN, "nothing told");
	ok(et_steal_parse_ns("cpu0 1 2 3\n", NULL, 100) == ET_UNKNOWN, "a kernel without steal");
	ok(et_steal_parse_ns("cpu-1 1 2 3 4 5 6 7 8\ncpu99999 1 2 3 4 5 6 7 8\n", NULL, 100) ==
			ET_UNKNOWN,
		"impossible CPUs");

	struct et_steal s;
	et_steal_open(&s, true);
	uint64_t a = et_steal_read_ns(&s, NULL);
	ok(a != ET_UNKNOWN && et_steal_read_ns(&s, NULL) >= a, "the real file, rising");
	et_steal_close(&s);
	et_steal_open(&s, false);
	ok(et_steal_read_ns(&s, NULL) == 0, "nothing is stolen without a hypervisor");
	et_steal_close(&s);
	return tap_done();
}
