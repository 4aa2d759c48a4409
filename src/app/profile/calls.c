/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `profile --calls`: counts the calls of functions in a run of its own. */
#include "profile/sampling/calls.h"
#include "app/profile/profile.h"
#include "base/display.h"

#include <errno.h>
#include <math.h>

struct functions {
	size_t n, without; /* without a number of calls */
};

static struct functions count_functions(const struct et_experiment *e)
{
	uint32_t list[ET_MOST_COUNTED];
	struct functions all = { 0 };

	for (uint32_t i = 0; i < e->n_commands; i++) {
		size_t n = et_calls_choose(e->profile, i, list);
		for (size_t k = 0; k < n; k++)
			all.without += isnan(et_profile_calls_of(e->profile, i, list[k]));
		all.n += n;
	}
	return all;
}

/* The longest of the commands. */
static double limit_seconds(const struct et_experiment *e)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < e->n_commands; i++) {
		uint64_t limit = et_session_counting_limit(e, i);
		most = limit > most ? limit : most;
	}
	return (double)most / 1e9;
}

static void announce(const struct et_measuring *m, const struct et_experiment *e, size_t n)
{
	if (m->cli->verbosity >= 0)
		et_say(stderr,
			"counting the calls of %zu function%s in one more run, which is ended "
			"after %.3g s: each call takes 1 to 20 µs longer, and several times that "
			"on a busy machine\n",
			n, n == 1 ? "" : "s", limit_seconds(e));
}

static void note_missing(const struct et_measuring *m, struct functions all)
{
	if (m->cli->verbosity >= 0 && all.without)
		et_say(stderr,
			"%zu of %zu functions have no number of calls: the kernel cannot probe "
			"them, or their file changed\n",
			all.without, all.n);
}

static int count(struct et_measuring *m, const struct et_experiment *e, size_t n)
{
	struct et_error err = { 0 };

	announce(m, e, n);
	int rc = et_session_count_calls(m->session, &et_observe_calls, &err);
	switch (rc) {
	case 0:
		note_missing(m, count_functions(e));
		return ET_EXIT_DONE;
	case -ETIME:
		et_say(stderr,
			"etalon: the run that counts calls took longer than %.3g s, so it was "
			"ended; the profile is stored without its numbers of calls\n",
			limit_seconds(e));
		return ET_EXIT_DONE;
	case -EINTR:
		et_say(stderr,
			"etalon: interrupted; the profile is stored without numbers of calls\n");
		return 128 + m->interrupt->signal;
	default:
		return et_cli_fail(&err);
	}
}

int et_profile_count_calls(const struct et_profile_command *p, struct et_measuring *m)
{
	const struct et_experiment *e = et_session_experiment(m->session);

	if (!p->count_calls || e->state != ET_STATE_DONE)
		return ET_EXIT_DONE;
	size_t n = count_functions(e).n;
	if (n)
		return count(m, e, n);
	et_say(stderr, "no calls are counted: no function of a file has 1 %% of the samples\n");
	return ET_EXIT_DONE;
}

int et_profile_store_calls(const struct et_profile_command *p, struct et_measuring *m)
{
	struct et_error err;

	if (!p->calls.n || !et_store_set_calls(m->store, et_session_experiment(m->session), &err))
		return ET_EXIT_DONE;
	return et_cli_fail(&err);
}

int et_profile_check_calls(const struct et_profile_command *p, struct et_error *err)
{
	return p->count_calls ? et_calls_allowed("", err) : 0;
}
