/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures the cost of a snapshot of all processes by three methods: each process's CPU clock
 * (etalon's method), one taskstats request per process, and /proc/PID/stat. All three first list
 * /proc in the same way.
 *
 *   bench-snapshots PROCESSES ROUNDS
 *
 * Adds sleeping children until there are PROCESSES processes (0: adds none). The methods take
 * turns, in a new random order in every round. Prints lines "WAY PROCESSES WALL_US CPU_US" with the
 * medians of one snapshot; "sample" is two snapshots and their comparison.
 */
#include "base/base.h"
#include "base/clock.h"
#include "measure/observe/snapshot.h"
#include "num/quantile.h"
#include "num/rng.h"

#include <errno.h>
#include <fcntl.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/taskstats.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { MOST_PROCESSES = 30000, BATCH = 64 };

static pid_t children[MOST_PROCESSES];
static size_t n_children;

static void remove_children(void)
{
	for (size_t i = 0; i < n_children; i++)
		kill(children[i], SIGKILL);
	while (n_children)
		waitpid(children[--n_children], NULL, 0);
}

static void die(const char *what)
{
	fprintf(stderr, "bench-snapshots: %s: %s\n", what, strerror(errno));
	remove_children();
	exit(1);
}

static void add_children(size_t wanted)
{
	while (n_children < wanted) {
		pid_t pid = fork();
		if (pid < 0)
			die("cannot create more processes (see ulimit -u and kernel.pid_max)");
		if (pid == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
		children[n_children++] = pid;
	}
}

/* --- the peers --- */

struct pids {
	int32_t *list;
	size_t n, cap;
};

/* Lists them as et_snapshot_take does, so that the methods differ only in how they read. */
static void list_pids(struct pids *pids)
{
	_Alignas(8) char buf[32768];
	ET_AUTO_CLOSE int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long n;

	pids->n = 0;
	while ((n = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0) {
		for (long at = 0; at < n;) {
			uint16_t length;
			memcpy(&length, buf + at + 16, sizeof(length));
			int32_t pid = atoi(buf + at + 19);
			if (pid > 0) {
				ET_GROW(pids->list, pids->n, pids->cap);
				pids->list[pids->n++] = pid;
			}
			at += length;
		}
	}
}

struct netlink {
	struct mnl_socket *socket; /* NULL: not allowed or not available */
	uint16_t family;
	struct pids pids;
	size_t answers;
};

static struct nlmsghdr *put_request(void *at, uint16_t type, uint8_t command, uint32_t seq)
{
	struct nlmsghdr *h = mnl_nlmsg_put_header(at);
	struct genlmsghdr *g = mnl_nlmsg_put_extra_header(h, sizeof(*g));

	h->nlmsg_type = type;
	h->nlmsg_flags = NLM_F_REQUEST;
	h->nlmsg_seq = seq;
	g->cmd = command;
	g->version = 1;
	return h;
}

static int take_family(const struct nlmsghdr *h, void *ctx)
{
	struct netlink *nl = ctx;
	struct nlattr *a;

	mnl_attr_for_each(a, h, sizeof(struct genlmsghdr))
	{
		if (mnl_attr_get_type(a) == CTRL_ATTR_FAMILY_ID)
			nl->family = mnl_attr_get_u16(a);
	}
	return MNL_CB_OK;
}

static void open_netlink(struct netlink *nl)
{
	char buf[8192];
	struct nlmsghdr *h = put_request(buf, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);

	mnl_attr_put_strz(h, CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME);
	nl->socket = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!nl->socket || mnl_socket_bind(nl->socket, 0, MNL_SOCKET_AUTOPID) < 0 ||
		mnl_socket_sendto(nl->socket, h, h->nlmsg_len) < 0)
		return;
	ssize_t n = mnl_socket_recvfrom(nl->socket, buf, sizeof(buf));
	if (n <= 0 || mnl_cb_run(buf, (size_t)n, 1, 0, take_family, nl) < 0)
		nl->family = 0;
}

/* Sends up to BATCH requests in one message and receives their answers, including errors. */
static void ask(struct netlink *nl, const int32_t *pids, size_t n)
{
	static char out[BATCH * 64], in[65536];
	char *at = out;

	for (size_t i = 0; i < n; i++) {
		struct nlmsghdr *h = put_request(at, nl->family, TASKSTATS_CMD_GET, 0);
		mnl_attr_put_u32(h, TASKSTATS_CMD_ATTR_PID, (uint32_t)pids[i]);
		at += MNL_ALIGN(h->nlmsg_len);
	}
	if (mnl_socket_sendto(nl->socket, out, (size_t)(at - out)) < 0)
		die("taskstats request");
	for (size_t left = n; left;) {
		ssize_t got = mnl_socket_recvfrom(nl->socket, in, sizeof(in));
		if (got < 0)
			die("taskstats answer");
		int rest = (int)got;
		for (struct nlmsghdr *h = (struct nlmsghdr *)in; mnl_nlmsg_ok(h, rest) && left;
			h = mnl_nlmsg_next(h, &rest)) {
			nl->answers += h->nlmsg_type == nl->family;
			left--;
		}
	}
}

/* --- the three methods --- */

struct bench {
	struct et_proc_reader watch;
	struct et_snapshot before, after;
	struct netlink netlink;
	struct pids pids;
	size_t processes; /* in the last snapshot */
};

/* Lists /proc again, as is necessary after a process was created. */
static void by_clock(struct bench *b)
{
	b->watch.newest = 0;
	if (et_snapshot_take(&b->watch, NULL, 0, &b->after) < 0)
		die("/proc");
	b->processes = b->after.n;
}

static void by_taskstats(struct bench *b)
{
	struct netlink *nl = &b->netlink;

	list_pids(&nl->pids);
	for (size_t i = 0; i < nl->pids.n; i += BATCH)
		ask(nl, nl->pids.list + i, nl->pids.n - i < BATCH ? nl->pids.n - i : BATCH);
}

static void by_proc_stat(struct bench *b)
{
	char path[32], buf[1024];

	list_pids(&b->pids);
	for (size_t i = 0; i < b->pids.n; i++) {
		snprintf(path, sizeof(path), "/proc/%d/stat", b->pids.list[i]);
		ET_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0 && read(fd, buf, sizeof(buf)) < 0)
			errno = 0; /* it has just ended */
	}
}

static void sample(struct bench *b)
{
	struct et_exits none = { 0 };
	struct et_culprit *who = NULL;

	/* One snapshot lists /proc again and one does not: between the best and the worst case. */
	b->watch.newest = 0;
	if (et_snapshot_take(&b->watch, NULL, 0, &b->before) < 0 ||
		et_snapshot_take(&b->watch, NULL, 0, &b->after) < 0)
		die("/proc");
	et_snapshot_compare(&b->watch, &b->before, &b->after, &none, getpid(), 4000000, &who);
	free(who);
}

static const struct way {
	const char *name;
	void (*run)(struct bench *b);
} ways[] = { { "clock", by_clock }, { "taskstats", by_taskstats }, { "proc-stat", by_proc_stat },
	{ "sample", sample } };

enum { WAYS = 4 };

static void measure(struct bench *b, size_t rounds)
{
	double *wall[WAYS], *cpu[WAYS];
	uint32_t order[WAYS] = { 0, 1, 2, 3 };
	struct et_rng rng;

	et_rng_seed(&rng, 1, 0);
	for (int w = 0; w < WAYS; w++) {
		wall[w] = et_calloc(rounds, sizeof(double));
		cpu[w] = et_calloc(rounds, sizeof(double));
	}
	for (size_t i = 0; i < rounds; i++) {
		et_shuffle(&rng, order, WAYS, sizeof(*order));
		for (int k = 0; k < WAYS; k++) {
			uint32_t w = order[k];
			if (w == 1 && !b->netlink.family)
				continue;
			uint64_t c = et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
			uint64_t t = et_clock_read_ns(CLOCK_MONOTONIC);
			ways[w].run(b);
			wall[w][i] = (double)(et_clock_read_ns(CLOCK_MONOTONIC) - t) / 1e3;
			cpu[w][i] = (double)(et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - c) / 1e3;
		}
	}
	for (int w = 0; w < WAYS; w++) {
		et_sort(wall[w], rounds);
		et_sort(cpu[w], rounds);
		if (w != 1 || b->netlink.answers)
			printf("%s %zu %.2f %.2f\n", ways[w].name, b->processes,
				et_median_sorted(wall[w], rounds),
				et_median_sorted(cpu[w], rounds));
		free(wall[w]);
		free(cpu[w]);
	}
}

int main(int argc, char **argv)
{
	struct bench b = { 0 };
	size_t wanted = argc == 3 ? strtoul(argv[1], NULL, 10) : MOST_PROCESSES + 1;
	size_t rounds = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;

	if (wanted > MOST_PROCESSES || rounds < 1 || rounds > 1000000) {
		fprintf(stderr, "usage: bench-snapshots PROCESSES ROUNDS\n");
		return 2;
	}
	open_netlink(&b.netlink);
	if (et_proc_reader_open(&b.watch, "") < 0)
		die("/proc");
	by_clock(&b);
	if (b.processes < wanted)
		add_children(wanted - b.processes);
	measure(&b, rounds);
	remove_children();
	if (b.netlink.socket)
		mnl_socket_close(b.netlink.socket);
	et_proc_reader_close(&b.watch);
	et_snapshot_free(&b.before);
	et_snapshot_free(&b.after);
	free(b.netlink.pids.list);
	free(b.pids.list);
	return 0;
}
