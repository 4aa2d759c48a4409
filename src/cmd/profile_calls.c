/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `profile --calls`: counts the calls of functions in a run of its own. */
#include "cmd/profile.h"
#include "profile/calls.h"

#include <errno.h>

static size_t count_functions(const struct et_experiment *e)
{
	uint32_t functions[ET_MOST_COUNTED];
	size_t n = 0;

	for (uint32_t i = 0; i < e->n_commands; i++)
		n += et_calls_choose(e->profile, i, functions);
	return n;
}

static int count(struct et_measuring *m, size_t n)
{
	struct et_error err = { 0 };

	if (m->cli->verbosity >= 0)
		fprintf(stderr,
			"counting the calls of %zu function%s in one more run, in which each call "
			"takes 0.6 to 12 µs longer\n",
			n, n == 1 ? "" : "s");
	int rc = et_session_count_calls(m->session, &et_observe_calls, &err);
	if (rc == 0)
		return ET_EXIT_DONE;
	if (rc != -EINTR)
		return et_cli_fail(&err);
	fprintf(stderr, "etalon: interrupted; the profile is stored without numbers of calls\n");
	return 128 + m->interrupt->signal;
}

int et_profile_count_calls(const struct et_profile_command *p, struct et_measuring *m)
{
	const struct et_experiment *e = et_session_experiment(m->session);

	if (!p->count_calls || e->state != ET_STATE_DONE)
		return ET_EXIT_DONE;
	size_t n = count_functions(e);
	return n ? count(m, n) : ET_EXIT_DONE;
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
