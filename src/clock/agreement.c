/* SPDX-License-Identifier: MIT */
#include "clock/agreement.h"
#include "base/clock.h"
#include "clock/activity.h"

#include <errno.h>

void et_agreement_init(struct et_agreement *a, int near, int far)
{
	*a = (struct et_agreement){ .near = near, .far = far, .lo = INT64_MIN, .hi = INT64_MAX };
}

void et_agreement_add(struct et_agreement *a, uint64_t before, uint64_t far, uint64_t after)
{
	int64_t least = (int64_t)(far - after), most = (int64_t)(far - before);

	a->rounds++;
	a->lo = least > a->lo ? least : a->lo;
	a->hi = most < a->hi ? most : a->hi;
	a->backwards += least > 0 || most < 0;
}

bool et_agreement_moves(const struct et_agreement *a)
{
	return a->rounds && a->lo > a->hi;
}

/* --- the exchange of messages --- */

/* Each field that a thread writes has its own cache line, so that round trips are short. */
struct exchange {
	_Alignas(64) atomic_uint turn; /* odd: the far thread must answer */
	_Alignas(64) atomic_uint_fast64_t answer;
	_Alignas(64) atomic_bool over;
	uint32_t rounds;
	uint64_t due_ns;
	struct et_agreement *a;
};

static void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* Waits for the turn to be `wanted`. Returns false if the exchange is over or its time is up. */
static bool await(struct exchange *x, unsigned wanted)
{
	for (unsigned spins = 1;; spins++) {
		if (atomic_load_explicit(&x->turn, memory_order_acquire) == wanted)
			return true;
		if (atomic_load_explicit(&x->over, memory_order_relaxed))
			return false;
		if (spins % 1024 == 0 && et_clock_read_ns(CLOCK_MONOTONIC) >= x->due_ns)
			return false;
		relax();
	}
}

static void *answer_far(void *ctx)
{
	struct exchange *x = ctx;

	for (unsigned turn = 1; await(x, turn); turn += 2) {
		atomic_store_explicit(&x->answer, et_counter_start(), memory_order_relaxed);
		atomic_store_explicit(&x->turn, turn + 1, memory_order_release);
	}
	return NULL;
}

static void *ask_near(void *ctx)
{
	struct exchange *x = ctx;

	for (uint32_t i = 0; i < x->rounds; i++) {
		uint64_t before = et_counter_start();
		atomic_store_explicit(&x->turn, 2 * i + 1, memory_order_release);
		if (!await(x, 2 * i + 2))
			break;
		uint64_t after = et_counter_start();
		et_agreement_add(x->a, before,
			atomic_load_explicit(&x->answer, memory_order_relaxed), after);
	}
	atomic_store(&x->over, true);
	return NULL;
}

int et_agreement_measure(
	int near, int far, uint32_t rounds, uint64_t limit_ns, struct et_agreement *out)
{
	struct exchange x = { .rounds = rounds, .a = out };
	pthread_t threads[2];

	if (!ET_HAVE_COUNTER)
		return -EOPNOTSUPP;
	et_agreement_init(out, near, far);
	x.due_ns = et_clock_read_ns(CLOCK_MONOTONIC) + limit_ns;
	int rc = et_thread_start(far, answer_far, &x, &threads[1]);
	if (rc)
		return rc;
	rc = et_thread_start(near, ask_near, &x, &threads[0]);
	if (rc == 0)
		pthread_join(threads[0], NULL);
	atomic_store(&x.over, true);
	pthread_join(threads[1], NULL);
	return rc;
}
