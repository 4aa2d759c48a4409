/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decoder on made, cut and scrambled frames; the listener on the real kernel. */
#include "measure/observe/taskstats.h"
#include "tap.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { FAMILY = 29 };

static struct et_exit_record seen[64];
static size_t n_seen;

static void note(void *ctx, const struct et_exit_record *r)
{
	(void)ctx;
	if (n_seen < sizeof(seen) / sizeof(seen[0]))
		seen[n_seen] = *r;
	n_seen++;
}

struct frame {
	_Alignas(8) unsigned char bytes[2048];
	size_t len;
};

static size_t put(struct frame *f, uint16_t type, const void *data, size_t size)
{
	struct nlattr a = { .nla_len = (uint16_t)(sizeof(a) + size), .nla_type = type };
	size_t at = f->len;

	memcpy(f->bytes + at, &a, sizeof(a));
	if (data)
		memcpy(f->bytes + at + sizeof(a), data, size);
	f->len = at + ((sizeof(a) + size + 3) & ~(size_t)3);
	return at;
}

static void close_nest(struct frame *f, size_t at)
{
	uint16_t len = (uint16_t)(f->len - at);

	memcpy(f->bytes + at, &len, sizeof(len));
}

/* One record as the kernel sends it, with `size` bytes of struct taskstats. */
static struct frame make(uint16_t nest_type, uint32_t pid, const struct taskstats *t, size_t size)
{
	struct frame f = { .len = NLMSG_HDRLEN + GENL_HDRLEN };
	struct nlmsghdr h = { .nlmsg_type = FAMILY };

	size_t nest = put(&f, nest_type, NULL, 0);
	put(&f, nest_type == TASKSTATS_TYPE_AGGR_TGID ? TASKSTATS_TYPE_TGID : TASKSTATS_TYPE_PID,
		&pid, sizeof(pid));
	put(&f, TASKSTATS_TYPE_STATS, t, size);
	close_nest(&f, nest);
	h.nlmsg_len = (uint32_t)f.len;
	memcpy(f.bytes, &h, sizeof(h));
	return f;
}

static int decode(const struct frame *f)
{
	n_seen = 0;
	return et_taskstats_decode(f->bytes, f->len, FAMILY, note, NULL);
}

static void frames(void)
{
	struct taskstats t = { .version = TASKSTATS_VERSION,
		.cpu_run_virtual_total = 1234567,
		.cpu_delay_total = 89,
		.blkio_delay_total = 7,
		.ac_ppid = 41,
		.ac_comm = "a.name.of.more.than.sixteen" };
	struct frame f = make(TASKSTATS_TYPE_AGGR_PID, 42, &t, sizeof(t));

	ok(decode(&f) == 0 && n_seen == 1, "a frame has one record");
	ok(seen[0].pid == 42 && seen[0].ppid == 41 && seen[0].cpu_ns == 1234567 &&
			seen[0].run_delay_ns == 89 && seen[0].block_delay_ns == 7 && !seen[0].group,
		"the figures of a record are decoded");
	is_str(seen[0].name, "a.name.of.more.", "a name is cut and terminated");
	f = make(TASKSTATS_TYPE_AGGR_TGID, 42, &t, sizeof(t));
	ok(decode(&f) == 0 && n_seen == 1 && seen[0].group,
		"a TGID record is the sum of a process");
	f = make(TASKSTATS_TYPE_AGGR_PID, 42, &t, 328);
	ok(decode(&f) == 0 && n_seen == 1 && seen[0].tgid == 0,
		"a shorter record of an old kernel is accepted");
	f = make(TASKSTATS_TYPE_AGGR_PID, 42, &t, 16);
	ok(decode(&f) == -EBADMSG && n_seen == 0, "a record without its figures is refused");
	f = make(TASKSTATS_TYPE_AGGR_PID, 0, &t, sizeof(t));
	ok(decode(&f) == -EBADMSG, "a record of PID 0 is refused");
	f = make(TASKSTATS_TYPE_AGGR_PID, 42, &t, sizeof(t));
	ok(et_taskstats_decode(f.bytes, f.len, FAMILY + 1, note, NULL) == 0 && n_seen == 0,
		"a message of another family is ignored");
}

/* Every shorter length and many scrambled bytes; sanitizers would report a bad access. */
static void hostile(void)
{
	struct taskstats t = { .cpu_run_virtual_total = 5 };
	struct frame good = make(TASKSTATS_TYPE_AGGR_PID, 42, &t, sizeof(t)), f;
	uint32_t random = 1;
	int accepted = 0;
	size_t records = 0, wrong = 0;

	for (size_t len = 0; len < good.len; len++) {
		unsigned char *exact = malloc(len ? len : 1);
		memcpy(exact, good.bytes, len);
		n_seen = 0;
		accepted += et_taskstats_decode(exact, len, FAMILY, note, NULL) == 0;
		free(exact);
	}
	ok(accepted == 0, "a frame that is cut anywhere is refused");
	for (int i = 0; i < 20000; i++) {
		f = good;
		for (int k = 0; k < 4; k++) {
			random = random * 1664525u + 1013904223u;
			f.bytes[(random >> 8) % f.len] = (unsigned char)(random >> 24);
		}
		decode(&f);
		for (size_t k = 0; k < n_seen && k < sizeof(seen) / sizeof(seen[0]); k++) {
			records++;
			wrong += seen[k].pid <= 0 ||
				 !memchr(seen[k].name, '\0', sizeof(seen[k].name));
		}
	}
	ok(records > 0 && wrong == 0,
		"taskstats: no record of 20000 scrambled frames lacks a pid or an end of its name");
}

static void burn_and_exit(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
}

static void listener(void)
{
	struct et_taskstats *t;
	bool lost = false;
	int rc = et_taskstats_open(&t);

	if (rc) {
		ok(rc == -EPERM || rc == -ENOENT, "without privilege listening is refused (%d)",
			rc);
		skip("no CAP_NET_ADMIN or no taskstats");
		return;
	}
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	n_seen = 0;
	ok(et_taskstats_drain(t, note, NULL, &lost) == 0 && n_seen >= 1 && !lost,
		"exit records arrive");
	bool found = false;
	for (size_t i = 0; i < n_seen && i < sizeof(seen) / sizeof(seen[0]); i++)
		found = found || (seen[i].pid == child && seen[i].ppid == getpid());
	ok(found, "the exit record of our child is among them");
	ok(et_taskstats_set_buffer(t, 4096) == 0, "the buffer of the socket can be made small");
	for (int i = 0; i < 200; i++)
		burn_and_exit();
	ok(et_taskstats_drain(t, note, NULL, &lost) == 0 && lost,
		"records that do not fit into the buffer are reported as lost");
	lost = false;
	/* Room again, however busy the machine is. */
	ok(et_taskstats_set_buffer(t, 1 << 20) == 0, "the buffer can be made larger again");
	burn_and_exit();
	ok(et_taskstats_drain(t, note, NULL, &lost) == 0 && !lost, "a loss is reported once");
	et_taskstats_close(t);
}

int main(void)
{
	frames();
	hostile();
	listener();
	return tap_done();
}
