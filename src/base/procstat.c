/* SPDX-License-Identifier: MIT */
#include "base/procstat.h"
#include "base/sysroot.h"

#include <ctype.h>

/* The numbers of the fields in proc(5), which counts from 1. */
enum { PPID = 4, PGRP = 5, FLAGS = 9, UTIME = 14, STIME = 15, STARTTIME = 22, PROCESSOR = 39 };

/*
 * Reads the fields from PPID to PROCESSOR. strtoull() suits all of them: it also accepts negative
 * numbers (tpgid, nice), which convert back, and rsslim needs all 64 bits.
 */
static bool read_numbers(const char *p, unsigned long long *field)
{
	for (int i = PPID; i <= PROCESSOR; i++) {
		char *end;
		errno = 0;
		field[i] = strtoull(p, &end, 10);
		if (end == p || errno || !strchr(" \n", *end))
			return false;
		p = end;
	}
	return true;
}

int et_procstat_parse(const char *text, struct et_procstat *out)
{
	unsigned long long field[PROCESSOR + 1];
	struct et_procstat s = { 0 };
	/* comm may contain parentheses; no later field does, so the last one ends it. */
	const char *open = strchr(text, '('), *close = strrchr(text, ')');

	if (!open || !close || close < open || close[1] != ' ' ||
		!isalpha((unsigned char)close[2]) || !read_numbers(close + 3, field))
		return -EINVAL;
	s.pid = (int32_t)strtol(text, NULL, 10);
	if (s.pid <= 0)
		return -EINVAL;
	s.state = close[2];
	snprintf(s.comm, sizeof(s.comm), "%.*s", (int)(close - open - 1), open + 1);
	s.ppid = (int32_t)field[PPID];
	s.pgrp = (int32_t)field[PGRP];
	s.flags = (uint32_t)field[FLAGS];
	s.utime = field[UTIME];
	s.stime = field[STIME];
	s.starttime = field[STARTTIME];
	s.processor = (int)field[PROCESSOR];
	*out = s;
	return 0;
}

int et_procstat_read(const char *root, int32_t pid, struct et_procstat *out)
{
	char path[32], buf[1024];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	ssize_t n = et_sysroot_read(root, path, buf, sizeof(buf));
	return n < 0 ? (int)n : et_procstat_parse(buf, out);
}
