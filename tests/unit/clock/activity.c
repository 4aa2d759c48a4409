/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All gaps of a scripted counter are found; a thread of its own reads the real counter. */
#include "clock/activity.h"
#include "base/base.h"
#include "base/clock.h"
#include "tap.h"

#include <errno.h>
#include <sched.h>

/* A counter with steps of 10 ticks; every nth reading jumps by length_of(its number). */
struct script {
	uint64_t now, readings, every, jumps, jumped;
	uint64_t backwards_at; /* this reading goes backwards; 0: none */
};

static uint64_t length_of(uint64_t jump)
{
	return 500 + jump * 7919 % 100000;
}

static uint64_t scripted(void *ctx)
{
	struct script *s = ctx;

	s->readings++;
	if (s->readings == s->backwards_at) {
		s->now -= 100;
	} else if (s->every && s->readings % s->every == 0) {
		uint64_t length = length_of(s->jumps++);
		s->jumped += length > 1000 ? length : 0;
		s->now += length;
	} else {
		s->now += 10;
	}
	return s->now;
}

static void init(struct et_activity *a, struct script *s, size_t capacity)
{
	ok(et_activity_init(a, NULL, capacity) == 0, "scripted counter: set up");
	a->read = scripted;
	a->ctx = s;
	a->threshold = 1000;
}

static void find_all(void)
{
	struct script s = { .now = UINT64_C(1) << 40, .every = 101 };
	struct et_activity a;
	struct et_gap g[64];
	uint64_t over = 0, last_end = 0, jump = 0;
	bool same = true;
	size_t n;

	init(&a, &s, 1 << 16);
	a.duration = 100000000;
	ok(et_activity_spin(&a) == 0 && a.ended == ET_ACTIVITY_DONE,
		"find all: spinning ends after the duration");
	ok(a.readings == s.readings, "find all: every reading is counted: %llu",
		(unsigned long long)a.readings);
	ok(a.end - a.begin >= a.duration, "find all: it does not end before the duration");
	ok(a.gap_ticks == s.jumped && a.lost == 0,
		"find all: the total length of the gaps is that of the script");
	while ((n = et_activity_take(&a, g, ET_LENGTH(g)))) {
		for (size_t i = 0; i < n; i++, jump++) {
			while (length_of(jump) <= a.threshold)
				jump++;
			same = same && g[i].end - g[i].start == length_of(jump) &&
			       g[i].start >= last_end;
			last_end = g[i].end;
			over++;
		}
	}
	ok(over == a.gaps && over > 1000, "find all: %llu gaps are taken from the ring",
		(unsigned long long)over);
	ok(same, "find all: each gap has its length and its place in the order");
	ok(s.jumps > over, "find all: jumps below the threshold are not gaps");
	et_activity_free(&a);
}

static void overflow(void)
{
	struct script s = { .every = 11 };
	struct et_activity a;
	struct et_gap g[32];

	init(&a, &s, 5);
	a.threshold = 400;
	a.duration = 1000000;
	ok(et_activity_spin(&a) == 0, "scripted counter: spinning succeeds");
	ok(a.capacity == 8 && a.gaps > 8, "overflow: there are more gaps than the ring holds");
	ok(a.lost == a.gaps - 8, "overflow: gaps that do not fit are counted as lost");
	ok(et_activity_take(&a, g, 3) == 3 && et_activity_take(&a, g + 3, 29) == 5,
		"overflow: the first gaps can be taken");
	ok(et_activity_take(&a, g, 32) == 0, "overflow: the ring is empty after them");
	bool first = true;
	for (uint64_t i = 3; i < 8; i++)
		first = first && g[i].end - g[i].start == length_of(i);
	ok(first, "overflow: the gaps are in their order");
	et_activity_free(&a);
}

static void edges(void)
{
	struct script s = { .every = 1000, .backwards_at = 5001 };
	struct et_activity a;

	init(&a, &s, 16);
	a.threshold = 400;
	ok(et_activity_spin(&a) == 0, "scripted counter: spinning succeeds");
	ok(a.ended == ET_ACTIVITY_BACKWARDS && a.readings == 5001,
		"backwards: spinning ends when the counter goes backwards");
	ok(a.gaps == 5 && a.end > a.begin, "backwards: the gaps before it are kept");
	et_activity_free(&a);

	/* Readings exactly the threshold apart are no gap; with one tick more they are. */
	s = (struct script){ .every = 0 };
	init(&a, &s, 16);
	a.threshold = 10;
	a.duration = 10000;
	ok(et_activity_spin(&a) == 0, "scripted counter: spinning succeeds");
	ok(a.gaps == 0, "threshold: readings exactly as far apart are no gap");
	a.threshold = 9;
	ok(et_activity_spin(&a) == 0, "scripted counter: spinning succeeds");
	ok(a.gaps == 1 && a.gap_ticks == a.end - a.begin,
		"threshold: readings further apart merge into one gap");
	ok(et_activity_threshold(&a) == 1001, "threshold: it is at least a microsecond: %llu",
		(unsigned long long)et_activity_threshold(&a));
	s.every = 200; /* less than one reading in a hundred is interrupted */
	ok(et_activity_threshold(&a) == 1001, "threshold: interrupts do not change it");
	a.hz = 1e6;
	ok(et_activity_threshold(&a) == 100,
		"threshold: it is ten times the step of a slow counter");
	et_activity_free(&a);

	struct et_anchor from = { 1000, 5000000 }, to = { 3000, 6000000 };
	ok(et_anchor_ns(&from, &to, 2000) == 5500000, "anchor: a reading between two anchors");
	ok(et_anchor_ns(&from, &to, 0) == 4500000, "anchor: a reading before both anchors");
	ok(et_anchor_ns(&from, &to, 5000) == 7000000, "anchor: a reading after both anchors");
}

static void elsewhere(void)
{
	struct et_activity a;
	struct et_counter c;

	et_counter_identify(&c);
	if (et_counter_calibrate(&c, 20000000) != 0)
		c.hz = 0; /* the clock is used instead */
	ok(et_activity_init(&a, &c, 1024) == 0, "thread: set up");
	a.cpu = CPU_SETSIZE;
	ok(et_activity_spin(&a) == -EINVAL && et_activity_start(&a) == -EINVAL,
		"thread: a CPU number that is too large is refused");
	a.cpu = CPU_SETSIZE - 1;
	ok(et_activity_start(&a) == -EINVAL, "thread: a CPU that does not exist is refused");
	a.cpu = -1;
	a.duration = (uint64_t)(a.hz * 60);
	a.threshold = et_activity_threshold(&a);
	ok(et_activity_start(&a) == 0, "thread: it starts");
	struct timespec nap = { 0, 100000000 };
	nanosleep(&nap, NULL);
	struct et_anchor x = et_activity_anchor(&a);
	ok(!et_activity_finish(&a) && a.ended == ET_ACTIVITY_STOPPED,
		"thread: it ends when it is stopped");
	double took = (double)(a.end - a.begin) / a.hz;
	ok(took > 0 && took < 60, "thread: it spun for %g s", took);
	uint64_t now = et_clock_read_ns(CLOCK_MONOTONIC);
	struct et_anchor y = et_activity_anchor(&a);
	ok(x.ns <= now && et_anchor_ns(&x, &y, y.reading) == y.ns,
		"thread: an anchor converts its own reading to its own time");
	et_activity_free(&a);
}

/* The thread is moved to another CPU, as when its CPU goes offline. */
static void moved(void)
{
	struct et_activity a;
	cpu_set_t set, other;
	int first = 0, last = CPU_SETSIZE - 1;

	sched_getaffinity(0, sizeof(set), &set);
	if (CPU_COUNT(&set) < 2) {
		skip("only one CPU");
		return;
	}
	while (!CPU_ISSET(first, &set))
		first++;
	while (!CPU_ISSET(last, &set))
		last--;
	ok(et_activity_init(&a, NULL, 1 << 16) == 0, "moved: set up");
	a.cpu = last;
	a.duration = 60000000000;
	ok(et_activity_start(&a) == 0, "moved: the thread starts on CPU %d", last);
	CPU_ZERO(&other);
	CPU_SET(first, &other);
	pthread_setaffinity_np(a.thread, sizeof(other), &other);
	for (int i = 0; i < 1000 && !atomic_load(&a.over); i++) {
		struct timespec nap = { 0, 10000000 };
		nanosleep(&nap, NULL);
	}
	ok(et_activity_finish(&a) && a.ended == ET_ACTIVITY_MOVED,
		"moved: the thread notices that it was moved");
	ok(a.gaps > 0, "moved: the thread recorded the gap");
	et_activity_free(&a);
}

int main(void)
{
	find_all();
	overflow();
	edges();
	elsewhere();
	moved();
	return tap_done();
}
