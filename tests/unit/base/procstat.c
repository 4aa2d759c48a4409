/* SPDX-License-Identifier: GPL-3.0-or-later */
/* /proc/PID/stat: lines as kernels wrote them, hostile names, broken lines, our own process. */
#include "base/procstat.h"
#include "tap.h"

#include <errno.h>
#include <sys/prctl.h>

/* The numbers of a real line, from ppid on. */
#define REST                                                                                       \
	"1412 2890 2890 34816 3011 4194304 1043 88 7 2 315 42 9 4 20 -5 3 0 184467 9207808 1130 "  \
	"18446744073709551615 94 95 14 0 0 0 0 4096 65538 1 0 0 17 5 0 0 12 0 0 96 97 98 14 15 "   \
	"16 "                                                                                      \
	"17 0\n"

static void test_fields(void)
{
	struct et_procstat s;

	ok(et_procstat_parse("2890 (bash) S " REST, &s) == 0, "procstat: a shell's line is parsed");
	ok(s.pid == 2890 && s.ppid == 1412 && s.pgrp == 2890, "procstat: pid, ppid and pgrp");
	is_str(s.comm, "bash", "procstat: the name is between the parentheses");
	ok(s.state == 'S', "procstat: the state");
	ok(s.flags == 4194304 && !(s.flags & ET_PF_KTHREAD), "procstat: the flags of a process");
	ok(s.utime == 315 && s.stime == 42, "procstat: utime and stime, not those of the children");
	ok(s.starttime == 184467, "procstat: the start time");
	ok(s.processor == 5, "procstat: the CPU that it last ran on");

	ok(et_procstat_parse(
		   "88 (kworker/u17:3-events_unbound) I 2 0 0 0 -1 69238880 0 0 0 0 0 1 0 0 "
		   "20 0 1 0 60 0 0 18446744073709551615 0 0 0 0 0 0 0 2147483647 0 0 0 0 17 "
		   "3 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
		   &s) == 0,
		"procstat: a kernel thread's line is parsed");
	is_str(s.comm, "kworker/u17:3-events_unbound", "procstat: a kworker's long name is whole");
	ok(s.ppid == 2 && s.flags & ET_PF_KTHREAD, "procstat: the flag of a kernel thread");
}

static void test_names(void)
{
	static const char *const names[] = { "a b", ") S 1", "((", "))", "a) R 7 (b", "x\ny", "" };

	for (size_t i = 0; i < ET_LENGTH(names); i++) {
		char line[512];
		struct et_procstat s = { 0 };
		snprintf(line, sizeof(line), "7 (%s) Z " REST, names[i]);
		ok(et_procstat_parse(line, &s) == 0 && !strcmp(s.comm, names[i]) &&
				s.state == 'Z' && s.ppid == 1412,
			"procstat: name %zu does not shift the fields", i);
	}
}

static void test_broken(void)
{
	static const char *const lines[] = {
		"",
		"7",
		"7 (",
		"7 (a",
		"7 )a(",
		"7 (a)",
		"7 (a) ",
		"7 (a) S",
		"7 (a) S ",
		"7 (a) S 1 2 3\n",
		"7 (a) 1 " REST,
		"(a) S " REST,
		"-7 (a) S " REST,
		"7 (a) SS " REST,
		"7 (a) S x" REST,
		"7 (a) S 99999999999999999999999 " REST,
	};

	for (size_t i = 0; i < ET_LENGTH(lines); i++) {
		struct et_procstat s = { .pid = -1 };
		ok(et_procstat_parse(lines[i], &s) == -EINVAL && s.pid == -1,
			"procstat: broken line %zu is refused and the result is not touched", i);
	}
}

static void test_read(void)
{
	struct et_procstat s = { 0 };
	char root[512];

	prctl(PR_SET_NAME, "et) S 1 (x");
	ok(et_procstat_read("", getpid(), &s) == 0 && s.pid == getpid() && s.ppid == getppid() &&
			s.pgrp == getpgrp() && s.starttime > 0 && s.processor >= 0 &&
			!(s.flags & ET_PF_KTHREAD),
		"procstat: our own process, as the system calls describe it");
	is_str(s.comm, "et) S 1 (x", "procstat: our own process, under a hostile name");
	ok(et_procstat_read("", INT32_MAX, &s) == -ENOENT && s.pid == getpid(),
		"procstat: a process that does not exist is -ENOENT");
	snprintf(root, sizeof(root), "%s/sysroot/laptop", getenv("ET_TEST_DATA"));
	ok(et_procstat_read(root, 905, &s) == 0 && s.state == 'T' && s.ppid == 850,
		"procstat: a process of a captured tree");
}

int main(void)
{
	test_fields();
	test_names();
	test_broken();
	test_read();
	return tap_done();
}
