/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/observe/steal.h"
#include "measure/tree.h"
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
		"all CPUs are summed, without the line of their sum");
	ok(et_steal_parse(text, &one, 100).steal_ns == 200000000, "one CPU is read alone");
	ok(et_steal_parse("", NULL, 100).steal_ns == ET_UNKNOWN, "an empty file has no steal");
	ok(et_steal_parse("cpu0 1 2 3\n", NULL, 100).steal_ns == ET_UNKNOWN,
		"a line without the steal column has no steal");
	ok(et_steal_parse("cpu-1 1 2 3 4 5 6 7 8\ncpu99999 1 2 3 4 5 6 7 8\n", NULL, 100)
				.steal_ns == ET_UNKNOWN,
		"lines of impossible CPUs are ignored");

	struct et_steal s;
	et_steal_open(&s, "", true);
	uint64_t a = et_steal_read(&s, NULL).steal_ns;
	ok(a != ET_UNKNOWN && et_steal_read(&s, NULL).steal_ns >= a,
		"the steal of the real /proc/stat does not fall");
	et_steal_close(&s);
	tree_open();
	et_steal_open(&s, tree, true);
	ok(et_steal_read(&s, NULL).steal_ns == ET_UNKNOWN, "without /proc/stat steal is unknown");
	et_steal_close(&s);
	tree_write("/proc/stat", text);
	et_steal_open(&s, tree, true);
	uint64_t all_ns = et_steal_read(&s, NULL).steal_ns,
		 one_ns = et_steal_read(&s, &one).steal_ns;
	ok(all_ns > 0 && 2 * all_ns == 3 * one_ns, "a reading is summed anew for another CPU set");
	et_steal_close(&s);
	tree_close();
	et_steal_open(&s, "", false);
	ok(et_steal_read(&s, NULL).steal_ns == 0, "without a hypervisor steal is 0");
	et_steal_close(&s);
	struct et_stolen from = { 100, 1000 }, to = { 160, 1200 }, none = { ET_UNKNOWN, 0 };
	ok(et_steal_share_ns(from, to, 200) == 60,
		"a program that alone was busy bears all the steal");
	ok(et_steal_share_ns(from, to, 50) == 15,
		"a program with a quarter of the work bears a quarter");
	ok(et_steal_share_ns(from, to, 0) == 0, "a program without CPU time loses nothing");
	ok(et_steal_share_ns(to, from, 50) == 0,
		"a sum that falls, because a CPU went offline, gives 0");
	ok(et_steal_share_ns(none, to, 50) == ET_UNKNOWN,
		"an unknown reading gives an unknown share");
	return tap_done();
}
