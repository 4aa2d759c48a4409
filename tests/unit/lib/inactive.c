/* SPDX-License-Identifier: MIT */
/* Inactive periods of a scripted clock of 1 GHz, whose readings are known. */
#include "lib/time/kbest.h"
#include "tap.h"

struct script {
	const uint64_t *at;
	size_t n, next;
};

static uint64_t play(void *ctx)
{
	struct script *s = ctx;

	return s->next < s->n ? s->at[s->next++] : s->at[s->n - 1] + 10 * (s->next++ - s->n + 1);
}

/* Two periods of 500 and 2000 ns; the second is two gaps without a reading in between. */
static const uint64_t two[] = { 100, 110, 120, 620, 630, 640, 1640, 2640, 2650 };

static int find(const uint64_t *at, size_t n, double hz, struct etalon_period *list,
	size_t capacity, struct etalon_inactivity *out)
{
	struct script s = { at, n, 0 };
	const struct et_inactive_clock c = { play, &s, hz };

	return et_inactive_find(&c, 100 * (1e9 / hz), 3000 * (1e9 / hz), list, capacity, out);
}

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

int main(void)
{
	static const uint64_t backwards[] = { 100, 110, 105, 120 };
	struct etalon_period list[4] = { { 0 } };
	struct etalon_inactivity x;

	ok(find(two, LENGTH(two), 1e9, list, 4, &x) == ETALON_OK && x.periods == 2,
		"inactive: two periods are found");
	near(list[0].start_ns, 20, 0, 0, "inactive: the first begins at its last reading");
	near(list[0].end_ns, 520, 0, 0, "inactive: and ends at the next one");
	near(list[1].start_ns, 540, 0, 0, "inactive: gaps that follow each other are one period");
	near(list[1].end_ns, 2540, 0, 0, "inactive: with the end of the last");
	near(x.inactive_ns, 2500, 0, 0, "inactive: the sum of all periods");
	near(x.elapsed_ns, 3000, 0, 0, "inactive: the whole duration");
	near(x.threshold_ns, 100, 0, 0, "inactive: the threshold is reported");
	ok(find(two, LENGTH(two), 2e9, list, 4, &x) == ETALON_OK && x.periods == 2 &&
			list[0].end_ns == 260,
		"inactive: ticks of half a nanosecond are converted");
	list[1] = (struct etalon_period){ -1, -1 };
	ok(find(two, LENGTH(two), 1e9, list, 1, &x) == ETALON_OK && x.periods == 1 &&
			x.elapsed_ns == 520 && list[1].start_ns == -1,
		"inactive: it ends with the first period if there is room for one");
	ok(find(two, LENGTH(two), 1e9, list, SIZE_MAX, &x) == ETALON_OK && x.periods == 2,
		"inactive: a list of any size costs no memory of ours");
	ok(find(two, LENGTH(two), 1e9, NULL, 0, &x) == ETALON_OK && x.periods == 2,
		"inactive: periods are counted without a list");
	ok(find(backwards, LENGTH(backwards), 1e9, list, 4, &x) == ETALON_BAD_CLOCK,
		"inactive: a clock that goes backwards is refused");
	return tap_done();
}
