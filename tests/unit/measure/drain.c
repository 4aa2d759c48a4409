/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pipes for the programs' output, which a thread empties. */
#include "measure/child/streams.h"
#include "tap.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static struct et_drain d;
static struct et_error err;

static void put(size_t slot, const char *text)
{
	size_t n = strlen(text);

	if (write(d.err[slot].write_fd, text, n) != (ssize_t)n)
		ok(false, "drain: a pipe takes %zu bytes", n);
}

static const char *lines(size_t slot)
{
	static char buf[64];

	et_drain_last_lines(&d, slot, buf, sizeof(buf));
	return buf;
}

static void tails(void)
{
	is_str(lines(0), "", "drain: a program that wrote nothing has no lines");
	put(0, "one\ntwo\nthree\nfour\n");
	put(1, "other");
	is_str(lines(0), "two\nthree\nfour", "drain: the last three lines are kept");
	is_str(lines(1), "other", "drain: each slot has its own lines");
	put(0, "five\n\n");
	is_str(lines(0), "three\nfour\nfive", "drain: lines come together from several writes");
	put(1, "a line that is longer than the buffer, of which the end is kept: this is the end");
	ok(strlen(lines(1)) == 63 && strstr(lines(1), "this is the end"),
		"drain: a long line keeps its end");
	et_drain_forget(&d, 2);
	is_str(lines(0), "", "drain: lines of earlier runs are forgotten");
	put(0, "\n");
	is_str(lines(0), "", "drain: an empty line is none");
	et_drain_forget(&d, 2);
}

/* Nothing but the thread reads while this writes, and the pipes hold less. */
static void much(void)
{
	static char block[65536];
	size_t sum = 0;

	memset(block, 'x', sizeof(block));
	for (int i = 0; i < 160; i++)
		sum += (size_t)write(d.err[i % 2].write_fd, block, sizeof(block));
	for (int i = 0; i < 160; i++)
		sum += (size_t)write(d.out.write_fd, block, sizeof(block));
	ok(sum == 320 * sizeof(block), "drain: 20 MiB pass, more than the pipes hold");
	put(0, "\nend");
	ok(strstr(lines(0), "x\nend") != NULL, "drain: the end of 5 MiB is kept");
}

int main(void)
{
	et_drain_init(&d);
	et_drain_close(&d);
	et_drain_init(&d);
	ok(et_drain_open(&d, true, &err) == 0 && et_drain_start(&d, &err) == 0,
		"drain: pipes and thread are made");
	tails();
	much();
	int fd = d.err[0].write_fd;
	et_drain_close(&d);
	ok(fcntl(fd, F_GETFD) < 0, "drain: the pipes are closed");
	return tap_done();
}
