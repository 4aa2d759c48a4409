/* SPDX-License-Identifier: MIT */
#include "clock/timer.h"
#include "base/clock.h"
#include "num/quantile.h"
#include "num/student.h"

enum {
	GAPS = 1 << 16,
	LEAST_GAP_NS = 300,      /* entry to and exit from an interrupt take longer */
	PIECE_NS = 250000000,    /* time to spin before each evaluation */
	USUAL_TICK_NS = 4000000, /* if the kernel does not report it */
	LEAST_MARKS = 10,        /* fewer gaps show neither a phase nor a cost */
	MOST_CANDIDATES = 8,
	STARTS = 1000, /* of runs of each length */
	PER_DECADE = 10,
};

static const double SAME = 0.01;       /* NTP and hypervisors change a rate by far less */
static const double WIDTH = 1.0 / 200; /* of a phase, in intervals: 20 µs of 4 ms */

/* No interrupt of an ordinary machine takes this long; a stretch of another thread does. */
static const double PREEMPTED_NS = 200000;
static const double SHORTEST_NS = 1000, LONGEST_NS = 1e9;

const char *const et_timer_source_names[] = { NULL, "records", "coarse-clock", "regularity" };

/* --- series of times --- */

size_t et_median_rank(size_t n)
{
	if (!n)
		return 0;
	/* The r-th smallest is above the median if fewer than r values are below it. */
	return (size_t)et_qbinom(0.025, (double)n, 0.5);
}

struct et_clock_spread et_spread_of(double *x, size_t n)
{
	struct et_clock_spread s = { n, NAN, NAN, NAN, NAN, NAN, NAN };
	size_t r = et_median_rank(n);

	if (!n)
		return s;
	et_sort(x, n);
	s.min = x[0];
	s.q1 = et_quantile_sorted(x, n, 0.25);
	s.median = et_median_sorted(x, n);
	s.q3 = et_quantile_sorted(x, n, 0.75);
	if (r) {
		s.lo = x[r - 1];
		s.hi = x[n - r];
	}
	return s;
}

static double reduce(double time, double interval)
{
	double x = fmod(time, interval);

	return x < 0 ? x + interval : x;
}

struct et_phase et_phase_find(double *times, size_t n, double interval, double width)
{
	struct et_phase best = { 0 };
	size_t end = 0;

	for (size_t i = 0; i < n; i++)
		times[i] = reduce(times[i], interval);
	et_sort(times, n);
	/* A window may continue at the beginning of the interval: `end` counts on from n. */
	for (size_t i = 0; i < n; i++) {
		end = end < i ? i : end;
		while (end < i + n && times[end % n] + (end < n ? 0 : interval) <= times[i] + width)
			end++;
		if (end - i <= best.seen)
			continue;
		size_t middle = i + (end - i - 1) / 2;
		best.seen = end - i;
		best.at = times[middle % n];
	}
	return best;
}

bool et_phase_has(double at, double time, double interval, double width)
{
	double apart = fabs(reduce(time - at, interval));

	return fmin(apart, interval - apart) <= width / 2;
}

/* --- one candidate --- */

static double start_of(const struct et_timer_series *s, size_t i)
{
	return (double)(s->gaps[i].start - s->gaps[0].start);
}

static double length_ns(const struct et_timer_series *s, size_t i)
{
	return (double)(s->gaps[i].end - s->gaps[i].start) / s->hz * 1e9;
}

/*
 * Sums up the gaps in ticks[], in ns. A gap longer than a quarter of the interval, or than four
 * times the first quartile, includes the time of another thread, and one shorter than half of the
 * median is another interrupt there by chance; they are left out. `room`: for all gaps.
 */
static struct et_clock_spread cost_of(
	const struct et_timer_series *s, const bool *ticks, double interval, double *room)
{
	size_t n = 0, first = 0, others = 0;

	for (size_t i = 0; i < s->n; i++)
		if (ticks[i] && length_ns(s, i) <= interval / 4 / s->hz * 1e9)
			room[n++] = length_ns(s, i);
	struct et_clock_spread all = et_spread_of(room, n);
	while (n && room[n - 1] > 4 * all.q1)
		n--;
	while (first < n && room[first] < et_median_sorted(room, n) / 2)
		first++;
	for (size_t i = 0; i < s->n && first < n; i++)
		others += !ticks[i] && length_ns(s, i) >= room[first] &&
			  length_ns(s, i) <= room[n - 1];
	/* If almost every tick preempts, the few short gaps may be others that began there. */
	if (n - first < LEAST_MARKS || (double)(n - first) < 4 * WIDTH * (double)others)
		first = n;
	return et_spread_of(room + first, n - first);
}

/* Sets ticks[] to the gaps that begin at a phase. */
static void take_phase(const struct et_timer_series *s, double interval, double phase, bool *ticks)
{
	for (size_t i = 0; i < s->n; i++)
		ticks[i] = et_phase_has(phase, start_of(s, i), interval, WIDTH * interval);
}

/* Adds the interrupts in ticks[] as a candidate. */
static void add_candidate(const struct et_timer_series *s, const bool *ticks, double interval,
	double *room, struct et_timer *out)
{
	struct et_clock_spread cost = cost_of(s, ticks, interval, room);

	if (!cost.n)
		return;
	if (!out->candidates++) {
		out->cost = cost;
		out->cost_ns = cost.min;
		out->interrupts = cost.n;
		out->doubt_lo_ns = cost.q1;
		out->doubt_hi_ns = cost.q3;
		return;
	}
	out->cost = et_spread_of(NULL, 0);
	out->cost_ns = fmin(out->cost_ns, cost.min);
	out->doubt_lo_ns = fmin(out->doubt_lo_ns, cost.q1);
	out->doubt_hi_ns = fmax(out->doubt_hi_ns, cost.q3);
}

/* --- the phase by evidence from the kernel --- */

/* Whether the record of a tick, or a later one by the interval, is within the gap. */
static bool has_record(const struct et_timer_series *s, size_t i, double interval)
{
	const double slack = 2e-6 * s->hz;
	double first = s->tick_reading - (double)s->gaps[0].start;
	double from = start_of(s, i) - slack;
	double to = (double)(s->gaps[i].end - s->gaps[0].start) + slack;

	return first + ceil((from - first) / interval) * interval <= to;
}

/* Takes the phase of most marked gaps (some begin earlier); -ENOENT: few, or they disagree. */
static int by_marks(const struct et_timer_series *s, double interval, bool *ticks, double *room)
{
	bool records = isfinite(s->tick_reading);
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		/* The coarse clock advances in a tick, since the end of the previous gap. */
		if (records ? has_record(s, i, interval)
			    : i > 0 && s->coarse_ns[i] > s->coarse_ns[i - 1])
			room[n++] = start_of(s, i);
	}
	struct et_phase p = et_phase_find(room, n, interval, WIDTH * interval);
	if (n < LEAST_MARKS || p.seen * 2 < n)
		return -ENOENT;
	take_phase(s, interval, p.at, ticks);
	return 0;
}

/* --- without evidence --- */

/* All phases with at least half as many gaps as the best one: no evidence prefers any of them. */
static void by_phases(const struct et_timer_series *s, double interval, bool *ticks, double *room,
	struct et_timer *out)
{
	double phases[MOST_CANDIDATES];
	size_t n_phases = 0, most = 0;

	while (n_phases < MOST_CANDIDATES) {
		size_t n = 0;
		for (size_t i = 0; i < s->n; i++) {
			bool taken = false;
			for (size_t k = 0; k < n_phases && !taken; k++)
				taken = et_phase_has(
					phases[k], start_of(s, i), interval, 2 * WIDTH * interval);
			if (!taken)
				room[n++] = start_of(s, i);
		}
		struct et_phase p = et_phase_find(room, n, interval, WIDTH * interval);
		most = n_phases ? most : p.seen;
		if (!p.seen || p.seen * 2 < most)
			break;
		phases[n_phases++] = p.at;
	}
	for (size_t k = n_phases; k-- > 0;) {
		take_phase(s, interval, phases[k], ticks);
		add_candidate(s, ticks, interval, room, out);
	}
}

static int find(const struct et_timer_series *s, bool *ticks, double *room, struct et_timer *out)
{
	double kernel = (double)s->kernel_ns * s->hz / 1e9, interval = 0;
	struct et_tick_fit fit;

	if (et_ticks_find(s->gaps, s->n, s->hz, 0, ticks, &fit) == 0) {
		interval = fit.interval;
		out->found_ns = interval / s->hz * 1e9;
	}
	bool same = !s->kernel_ns || fabs(interval / kernel - 1) < SAME;
	if (s->kernel_ns && s->n && (isfinite(s->tick_reading) || s->coarse_ns) &&
		by_marks(s, kernel, ticks, room) == 0) {
		out->source = isfinite(s->tick_reading) ? ET_TIMER_RECORDS : ET_TIMER_COARSE;
		add_candidate(s, ticks, kernel, room, out);
	} else if (s->kernel_ns) {
		/* A regularity that the kernel's timer does not have is another timer's. */
		if (!same && et_ticks_find(s->gaps, s->n, s->hz, kernel, ticks, &fit) != 0)
			return -ENOENT;
		out->source = ET_TIMER_REGULARITY;
		by_phases(s, kernel, ticks, room, out);
	} else if (interval > 0) {
		out->source = ET_TIMER_REGULARITY;
		add_candidate(s, ticks, interval, room, out);
	} else {
		return -ENOENT;
	}
	out->tick_ns = same && interval > 0 ? out->found_ns : (double)s->kernel_ns;
	return 0;
}

int et_timer_find(const struct et_timer_series *s, bool *ticks, struct et_timer *out)
{
	ET_AUTO_FREE double *room = malloc((s->n + 1) * sizeof(*room));

	*out = (struct et_timer){
		.cost = et_spread_of(NULL, 0), .doubt_lo_ns = NAN, .doubt_hi_ns = NAN
	};
	return room ? find(s, ticks, room, out) : -ENOMEM;
}

/* --- stretches --- */

/* Sums of the gaps before each, so that any range is a difference of two. */
struct series {
	const struct et_lost *gaps;
	const double *before;
	size_t n;
	double ran_ns;
};

/* Returns the number of gaps that occur after at most this much running time. */
static size_t up_to(const struct series *s, double ns)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (s->gaps[mid].after_ns <= ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct et_stretch_row row_of(const struct series *s, double length_ns)
{
	/* Multiples of the golden ratio are spread evenly, and never in step with a timer. */
	static const double GOLDEN = 0.61803398874989485;
	struct et_stretch_row row = { .length_ns = length_ns };
	double loss[STARTS], sum = 0, whole;
	size_t fit = 0;

	for (size_t i = 0; i < STARTS; i++) {
		double start = (s->ran_ns - length_ns) * modf((double)i * GOLDEN, &whole);
		loss[i] = (s->before[up_to(s, start + length_ns)] - s->before[up_to(s, start)]) /
			  length_ns;
		sum += loss[i];
		fit += loss[i] <= ET_STRETCH_LOSS;
	}
	row.fits = (double)fit / STARTS;
	et_sort(loss, STARTS);
	row.best = et_quantile_sorted(loss, STARTS, 0.2);
	row.mean = sum / STARTS;
	return row;
}

static int find_slices(const struct et_lost *gaps, size_t n, struct et_stretches *out)
{
	ET_AUTO_FREE double *slices = malloc((n + 1) * sizeof(*slices));
	double last = NAN;
	size_t m = 0;

	if (!slices)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (gaps[i].ns < PREEMPTED_NS)
			continue;
		out->preempted++;
		if (!isnan(last))
			slices[m++] = gaps[i].after_ns - last;
		last = gaps[i].after_ns;
	}
	out->slice = et_spread_of(slices, m);
	return 0;
}

int et_stretches_of(const struct et_lost *gaps, size_t n, double ran_ns, double cpu_ns,
	struct et_stretches *out)
{
	ET_AUTO_FREE double *before = malloc((n + 1) * sizeof(*before));

	memset(out, 0, sizeof(*out));
	if (!before)
		return -ENOMEM;
	before[0] = 0;
	for (size_t i = 0; i < n; i++)
		before[i + 1] = before[i] + gaps[i].ns;
	out->ran_ns = ran_ns;
	out->lost_ns = before[n];
	out->cpu_ns = cpu_ns;
	const struct series s = { gaps, before, n, ran_ns };
	double most = fmin(ran_ns / 4, LONGEST_NS);
	while (out->n_rows < ET_STRETCH_ROWS) {
		double length = SHORTEST_NS * pow(10, (double)out->n_rows / PER_DECADE);
		if (length > most * (1 + 1e-9))
			break;
		out->rows[out->n_rows++] = row_of(&s, length);
	}
	return find_slices(gaps, n, out);
}

/* --- spinning --- */

struct spin {
	struct et_activity a;
	const struct et_timer_options *o;
	uint64_t kernel_ns;
	bool *ticks;
	struct et_lost *lost; /* the gaps, by running time */
	size_t n_lost;
	double ran_ns, cpu_ns; /* of all pieces */
};

/* Spins for a while, and appends its gaps to those of earlier pieces. */
static int spin_piece(struct spin *p, uint64_t piece_ns)
{
	struct et_activity *a = &p->a;
	size_t from = atomic_load(&a->written);
	double ns = 1e9 / a->hz;

	a->duration = (uint64_t)((double)piece_ns * a->hz / 1e9);
	uint64_t cpu_ns = et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
	int rc = et_activity_spin(a);
	p->cpu_ns += (double)(et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns);
	if (rc)
		return rc;
	uint64_t last = a->begin;
	size_t written = atomic_load(&a->written);
	for (size_t i = from; i < written && i < GAPS; i++) {
		p->ran_ns += (double)(a->ring[i].start - last) * ns;
		p->lost[p->n_lost++] = (struct et_lost){ p->ran_ns,
			(double)(a->ring[i].end - a->ring[i].start) * ns };
		last = a->ring[i].end;
	}
	p->ran_ns += (double)(a->end - last) * ns;
	return 0;
}

static int find_in(struct spin *p, const struct et_anchor *first, struct et_timer *out)
{
	const struct et_activity *a = &p->a;
	struct et_anchor now = et_activity_anchor(a);
	double hz = (double)(now.reading - first->reading) / (double)(now.ns - first->ns) * 1e9;
	const struct et_timer_series s = { .gaps = a->ring,
		.n = atomic_load(&a->written),
		.hz = hz,
		.kernel_ns = p->kernel_ns,
		.tick_reading =
			p->o->tick_at_ns == ET_UNKNOWN
				? NAN
				: (double)first->reading -
					  ((double)first->ns - (double)p->o->tick_at_ns) * hz / 1e9,
		.coarse_ns = a->coarse_ns };

	return et_timer_find(&s, p->ticks, out);
}

static int spin_here(struct spin *p, struct et_timer *out)
{
	uint64_t begin_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	uint64_t piece_ns =
		ET_TIMER_INTERRUPTS * (p->kernel_ns ? p->kernel_ns : (uint64_t)USUAL_TICK_NS);
	struct et_anchor first = et_activity_anchor(&p->a);
	int rc;

	/* No other thread takes gaps out of the ring, so it contains all of them. */
	do {
		rc = spin_piece(p, piece_ns);
		if (rc)
			return rc;
		rc = find_in(p, &first, out);
		if (rc == 0 && out->interrupts >= ET_TIMER_INTERRUPTS)
			return 0;
		piece_ns = PIECE_NS;
	} while (!p->a.lost && et_clock_read_ns(CLOCK_MONOTONIC) - begin_ns < p->o->limit_ns &&
		 et_pulse_beat(p->o->pulse));
	return rc == 0 ? -EAGAIN : rc;
}

static int measure(struct spin *p, struct et_timer *out)
{
	struct et_stretches *stretches = p->o->stretches;

	ET_AUTO_FREE bool *ticks = p->ticks = malloc(GAPS * sizeof(*ticks));
	ET_AUTO_FREE struct et_lost *lost = p->lost = malloc(GAPS * sizeof(*lost));
	/* Use a threshold below a microsecond only if readings are fast enough. */
	p->a.threshold = et_activity_threshold(&p->a);
	if ((double)p->a.threshold < 1.1e-6 * p->a.hz)
		p->a.threshold = (uint64_t)(LEAST_GAP_NS * p->a.hz / 1e9);
	int rc = ticks && lost ? spin_here(p, out) : -ENOMEM;
	if (stretches && rc != -ENOMEM &&
		et_stretches_of(lost, p->n_lost, p->ran_ns, p->cpu_ns, stretches))
		return -ENOMEM;
	return rc;
}

int et_timer_spin(
	const struct et_counter *c, const struct et_timer_options *o, struct et_timer *out)
{
	struct spin p = { .o = o, .kernel_ns = et_clock_tick_ns() };
	cpu_set_t before;

	*out = (struct et_timer){ 0 };
	int rc = et_activity_init(&p.a, c, GAPS);
	if (rc)
		return rc;
	/* Stay on this CPU, because every CPU has its own timer. */
	bool pinned = et_stay_on(sched_getcpu(), &before) == 0;
	rc = measure(&p, out);
	/* It fails only if all these CPUs are offline now; the kernel has moved the thread then. */
	if (pinned)
		sched_setaffinity(0, sizeof(before), &before);
	et_activity_free(&p.a);
	return rc;
}
