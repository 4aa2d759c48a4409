/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pauses between attempts, on a clock that the test moves and a server that it plays. */
#include "base/base.h"
#include "conduct/delivery.h"
#include "tap.h"

#include <errno.h>
#include <string.h>

enum { MOST = 64 };
static const uint64_t SECOND_NS = 1000000000;

struct scene {
	uint64_t now_ns, attempt_ns; /* the time, and how long an attempt takes */
	const int *answers;          /* of the server; the last one is repeated */
	size_t attempts, pauses, told;
	size_t signal_after; /* pauses; 0: no signal arrives */
	uint64_t paused_ns[MOST];
	struct et_interrupt interrupt;
};

static uint64_t now_ns(void *ctx)
{
	return ((struct scene *)ctx)->now_ns;
}

static void pause_for(void *ctx, uint64_t ns)
{
	struct scene *s = ctx;

	s->now_ns += ns;
	s->paused_ns[s->pauses++ % MOST] = ns;
	if (s->pauses == s->signal_after)
		s->interrupt.signal = 15;
}

static void again(void *ctx, const struct et_error *why)
{
	struct scene *s = ctx;

	s->told++;
	is_str(why->what, "no answer", "persist: the reason is reported before the first pause");
}

static int attempt(void *ctx, struct et_error *err)
{
	struct scene *s = ctx;
	int rc = *s->answers;

	s->answers += s->answers[1] != 1;
	s->attempts++;
	s->now_ns += s->attempt_ns;
	return rc ? et_fail(err, -rc, ET_EXIT_OUTSIDE, "no answer") : 0;
}

/* Answers end with 1. */
static int play(struct scene *s, uint64_t limit_ns, const int *answers)
{
	struct et_clock clock = { .now_ns = now_ns, .ctx = s };
	struct et_persistence p = { limit_ns, &clock, &s->interrupt, pause_for, again, s };
	struct et_error err = { 0 };

	s->answers = answers;
	return et_persist(&p, attempt, s, &err);
}

#define ANSWERS(...)                                                                               \
	(const int[])                                                                              \
	{                                                                                          \
		__VA_ARGS__, 1                                                                     \
	}

static void test_ends(void)
{
	struct scene s = { 0 };

	ok(play(&s, 60 * SECOND_NS, ANSWERS(0)) == 0 && s.attempts == 1 && !s.pauses && !s.told,
		"persist: a server that answers is asked once");
	s = (struct scene){ 0 };
	ok(play(&s, 60 * SECOND_NS, ANSWERS(-EIO, -EBUSY, -EIO, 0)) == 0 && s.attempts == 4 &&
			s.told == 1,
		"persist: a server that returns is asked until it answers");
	s = (struct scene){ 0 };
	ok(play(&s, 0, ANSWERS(-EIO)) == -EIO && s.attempts == 1 && !s.pauses && !s.told,
		"persist: without a limit of time there is one attempt");
	static const int final[] = { ESTALE, EEXIST, EPROTO, EBADMSG, EACCES, EINVAL, ENOTSUP,
		ENXIO, ETIME, EUCLEAN };
	for (size_t i = 0; i < ET_LENGTH(final); i++) {
		s = (struct scene){ 0 };
		ok(play(&s, 60 * SECOND_NS, ANSWERS(-final[i], 0)) == -final[i] && s.attempts == 1,
			"persist: %s is final", strerror(final[i]));
	}
	s = (struct scene){ .signal_after = 2 };
	ok(play(&s, 3600 * SECOND_NS, ANSWERS(-EIO)) == -EIO && s.pauses == 2 && s.attempts == 3,
		"persist: after a signal there is one more attempt, and no pause");
}

static void test_pauses(void)
{
	struct scene s = { 0 };
	uint64_t want_ns = SECOND_NS / 2;
	bool within = true, vary = false;

	ok(play(&s, 600 * SECOND_NS, ANSWERS(-EIO)) == -EIO, "pauses: the last error is returned");
	ok(s.pauses > 10 && s.pauses < MOST, "pauses: ten minutes have %zu", s.pauses);
	for (size_t i = 0; i < s.pauses && i < MOST; i++) {
		within = within && s.paused_ns[i] >= want_ns / 2 &&
			 s.paused_ns[i] <= want_ns / 2 + want_ns;
		vary = vary || s.paused_ns[i] != want_ns;
		want_ns = 2 * want_ns < 30 * SECOND_NS ? 2 * want_ns : 30 * SECOND_NS;
	}
	ok(within, "pauses: they double from 0.5 s to 30 s, each within a factor of three");
	ok(vary, "pauses: they are random");
	ok(s.now_ns <= 615 * SECOND_NS, "pauses: the last one is shorter than the time left, but "
					"for what is random");
	s = (struct scene){ .attempt_ns = 20 * SECOND_NS };
	ok(play(&s, 30 * SECOND_NS, ANSWERS(-EIO)) == -EIO && s.attempts == 2,
		"pauses: attempts that take long count, too");
}

int main(void)
{
	test_ends();
	test_pauses();
	return tap_done();
}
