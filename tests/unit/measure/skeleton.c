/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The template of an observer, through the calls that the runner makes, on a machine of files. */
#include "base/base.h"
#include "measure/child/run.h"
#include "tap.h"

#include <sys/stat.h>

extern const struct et_observer et_observe_skeleton;

static char root[] = "/tmp/etalon-skeleton-XXXXXX";

/* The machine has had this many page faults by now; NULL: its file has no such line. */
static void set_faults(const char *number)
{
	ET_AUTO_FREE char *path = et_asprintf("%s/proc/vmstat", root);
	FILE *f = fopen(path, "we");

	if (!f)
		tap_bail("%s cannot be written", path);
	fprintf(f, "nr_free_pages 1\n");
	if (number)
		fprintf(f, "pgmajfault %s\n", number);
	fclose(f);
}

/* The figure of two programs that run between two states of the machine. */
static void watch(const struct et_observers *o, const char *first, const char *second,
	uint64_t want, const char *label)
{
	struct et_sample samples[2] = { 0 };
	struct et_run run = { .n = 2 };

	set_faults(first);
	et_observers_before(o, &run);
	set_faults(second);
	et_observers_after(o, &run);
	et_observers_fill(o, &run, samples);
	ok(samples[0].measured.major_faults == want && samples[1].measured.major_faults == want,
		"%s", label);
}

int main(void)
{
	struct et_experiment e = { 0 };
	struct et_observers o = { .setup = { .root = root, .e = &e } };
	struct et_error err = { 0 };

	if (!mkdtemp(root))
		tap_bail("no folder for a machine");
	ok(et_observers_request(&o, &et_observe_skeleton, &err) == 0 && o.n == 1 && !o.list[0].self,
		"skeleton: a machine without the file is measured without the observer");
	ET_AUTO_FREE char *proc = et_asprintf("%s/proc", root);
	if (mkdir(proc, 0700))
		tap_bail("no %s", proc);
	set_faults("7");
	ok(et_observers_request(&o, &et_observe_skeleton, &err) == 0 && o.list[0].self,
		"skeleton: a later request opens it once the file is there");
	watch(&o, "7", "19", 12, "skeleton: both programs of a duet get the difference");
	watch(&o, "18446744073709551614", "18446744073709551614", 0,
		"skeleton: the largest count that is no sign of the unknown is read");
	watch(&o, NULL, "19", ET_UNKNOWN, "skeleton: without a first reading it is unknown");
	watch(&o, "7", NULL, ET_UNKNOWN, "skeleton: without a second reading it is unknown");
	watch(&o, "19", "7", ET_UNKNOWN, "skeleton: a counter that goes back is unknown");
	et_observers_close(&o);
	ET_AUTO_FREE char *file = et_asprintf("%s/proc/vmstat", root);
	unlink(file);
	rmdir(proc);
	rmdir(root);
	return tap_done();
}
