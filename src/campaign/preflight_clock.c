/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds machines whose clocks disagree, whatever the time that the answers took. */
#include "base/alloc.h"
#include "campaign/preflight_parts.h"

#include <errno.h>

/* How far a clock is ahead of the reference: within lo and hi. */
struct ahead {
	const char *name;
	int64_t lo_ns, hi_ns;
};

static bool ahead_of_server(const struct et_node_probe *p, struct ahead *a)
{
	int64_t doubt_ns = (int64_t)p->store_doubt_ns;

	if (!p->has_store_clock)
		return false;
	*a = (struct ahead){ p->node, p->store_offset_ns - doubt_ns,
		p->store_offset_ns + doubt_ns };
	return true;
}

static bool ahead_of_us(const struct et_node_probe *p, struct ahead *a)
{
	if (p->got_wall_ns < p->sent_wall_ns || p->got_wall_ns > INT64_MAX / 2)
		return false;
	*a = (struct ahead){ p->node, (int64_t)p->wall_ns - (int64_t)p->got_wall_ns,
		(int64_t)p->wall_ns - (int64_t)p->sent_wall_ns };
	return true;
}

/* Finds the two clocks that differ the most for certain. Returns whether that is too much. */
static bool judge_clocks_by(const struct et_node_probe *probes, size_t n, const char *reference,
	bool (*ahead)(const struct et_node_probe *, struct ahead *), struct et_preflight *out)
{
	struct ahead fast = { reference, 0, 0 }, slow = fast, a;

	for (size_t i = 0; i < n; i++) {
		if (probes[i].rc || !ahead(&probes[i], &a))
			continue;
		if (a.lo_ns > fast.lo_ns)
			fast = a;
		if (a.hi_ns < slow.hi_ns)
			slow = a;
	}
	if (fast.lo_ns - slow.hi_ns <= ET_PREFLIGHT_CLOCK_NS)
		return false;
	double lo_s = (double)(fast.lo_ns - slow.hi_ns) / 1e9,
	       hi_s = (double)(fast.hi_ns - slow.lo_ns) / 1e9;
	et_preflight_add_error(out, ETIME, ET_EXIT_OUTSIDE,
		et_asprintf("the clock of %s is %.2f s ahead of the clock of %s (± %.2f s, by the "
			    "time of the round trip)",
			fast.name, (lo_s + hi_s) / 2, slow.name, (hi_s - lo_s) / 2),
		"let NTP set the clocks of both (for example 'apt-get install chrony'), or use "
		"--no-preflight");
	return true;
}

/* The server's answer is faster than that of a node, so it is the better reference. */
void et_preflight_clocks(const struct et_node_probe *probes, size_t n, struct et_preflight *out)
{
	if (!judge_clocks_by(probes, n, "the store's server", ahead_of_server, out))
		(void)judge_clocks_by(probes, n, "this machine", ahead_of_us, out);
}
