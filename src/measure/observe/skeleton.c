/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A template to copy: an observer. It is compiled and tested, and no part of etalon.
 *
 * To make one of it: copy this file to NAME_observer.c, list it in src/measure/meson.build, declare
 * et_observe_NAME in observer.h, add its row to the table of observers.c, and copy
 * tests/unit/measure/skeleton.c. An observer with a figure of its own adds a member to struct
 * et_measured and a row to src/model/experiment/field.c, whose head says the rest.
 *
 * This one counts page faults that had to read from disk, on the whole machine, while a program
 * ran. For want of a figure of its own it replaces those of the program.
 */
#include "measure/child/run.h"

#include <fcntl.h>

enum { TEXT_BYTES = 16384 };

/* The state between two calls. All memory that a run needs is here: nothing is allocated later. */
struct skeleton {
	int fd;                /* of /proc/vmstat */
	uint64_t before, now;  /* readings; ET_UNKNOWN: it cannot be read */
	char text[TEXT_BYTES]; /* the file */
};

/* Keep the parser of foreign text apart from the file, so that a test can hand it any text. */
static uint64_t parse(const char *text)
{
	const char *line = strstr(text, "\npgmajfault ");
	uint64_t n;

	return line && sscanf(line, " pgmajfault %" SCNu64, &n) == 1 ? n : ET_UNKNOWN;
}

static uint64_t read_faults(struct skeleton *s)
{
	ssize_t n = pread(s->fd, s->text, sizeof(s->text) - 1, 0);

	if (n <= 0)
		return ET_UNKNOWN;
	s->text[n] = '\0';
	return parse(s->text);
}

/*
 * Called once per experiment. Read below setup->root, never from the machine directly. If the
 * machine lacks the source, leave *self as it is: the experiment is measured without this observer,
 * and its figure stays unknown. Return an error only if the user asked for this observer.
 */
static int open_skeleton(const struct et_observer_setup *setup, void **self, struct et_error *err)
{
	ET_AUTO_FREE char *path = et_asprintf("%s/proc/vmstat", setup->root);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	(void)err;
	if (fd < 0)
		return 0;
	struct skeleton *s = et_calloc(1, sizeof(*s));
	s->fd = fd;
	*self = s;
	return 0;
}

/* The last chance before the program starts: it is inside what outer observers see. */
static void before(void *self, struct et_run *run)
{
	struct skeleton *s = self;

	(void)run;
	s->before = read_faults(s);
}

/* The program has ended. Read now, compute later: inner observers have done so already. */
static void after(void *self, struct et_run *run)
{
	struct skeleton *s = self;

	(void)run;
	s->now = read_faults(s);
}

/* An unknown figure stays unknown; it never becomes 0. */
static void fill(void *self, struct et_run *run, struct et_sample *samples)
{
	const struct skeleton *s = self;
	bool known = s->before != ET_UNKNOWN && s->now != ET_UNKNOWN && s->now >= s->before;

	for (size_t i = 0; i < run->n; i++)
		samples[i].measured.major_faults = known ? s->now - s->before : ET_UNKNOWN;
}

static void close_skeleton(void *self)
{
	struct skeleton *s = self;

	et_cleanup_close(&s->fd);
	free(s);
}

extern const struct et_observer et_observe_skeleton; /* declared in observer.h, if it is yours */

const struct et_observer et_observe_skeleton = {
	.name = "skeleton",
	.open = open_skeleton,
	.before = before,
	.after = after,
	.fill = fill,
	.close = close_skeleton,
};
