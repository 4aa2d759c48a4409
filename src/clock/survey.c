/* SPDX-License-Identifier: MIT */
#include "clock/survey.h"
#include "base/clock.h"
#include "num/line.h"

/* --- the rate of the counter --- */

static uint64_t read_counter_or_raw(void *ctx)
{
	(void)ctx;
#if ET_HAVE_COUNTER
	return et_counter_start();
#else
	return et_clock_read_ns(CLOCK_MONOTONIC_RAW);
#endif
}

size_t et_drift_read(
	uint64_t duration_ns, size_t n, const struct et_pulse *pulse, struct et_drift_reading *out)
{
	uint64_t began = et_clock_read_ns(CLOCK_MONOTONIC);
	size_t taken = 0;

	while (taken < n && et_pulse_beat(pulse)) {
		et_clock_sleep_until(CLOCK_MONOTONIC, began + duration_ns / (n - 1) * taken);
		out[taken++] = (struct et_drift_reading){
			.raw = et_anchor_take(read_counter_or_raw, NULL, CLOCK_MONOTONIC_RAW),
			.monotonic = et_anchor_take(read_counter_or_raw, NULL, CLOCK_MONOTONIC),
		};
	}
	return taken;
}

static bool went_back(const struct et_anchor *from, const struct et_anchor *to)
{
	return to->reading <= from->reading || to->ns <= from->ns;
}

/* Fits the rate in ticks per nanosecond, by CLOCK_MONOTONIC_RAW or by CLOCK_MONOTONIC. */
static struct et_line rate(const struct et_drift_reading *r, size_t n, bool raw)
{
	const struct et_anchor *first = raw ? &r->raw : &r->monotonic;
	double x[ET_DRIFT_READINGS], y[ET_DRIFT_READINGS];
	struct et_line line;

	for (size_t i = 0; i < n; i++) {
		const struct et_anchor *a = raw ? &r[i].raw : &r[i].monotonic;

		x[i] = (double)(a->ns - first->ns);
		y[i] = (double)(a->reading - first->reading);
	}
	et_line_fit(x, y, n, &line);
	return line;
}

static double relative_ppm(
	const struct et_line *a, const struct et_line *b, double *ppm_uncertainty)
{
	*ppm_uncertainty = 1e6 * hypot(a->slope_error / a->slope, b->slope_error / b->slope);
	return 1e6 * (b->slope / a->slope - 1);
}

int et_drift_fit(const struct et_drift_reading *r, size_t n, struct et_clock_drift *out)
{
	if (n < 6 || n > ET_DRIFT_READINGS)
		return -EINVAL;
	for (size_t i = 1; i < n; i++)
		if (went_back(&r[i - 1].raw, &r[i].raw) ||
			went_back(&r[i - 1].monotonic, &r[i].monotonic))
			return -ERANGE;
	struct et_line raw = rate(r, n, true), monotonic = rate(r, n, false);
	struct et_line first = rate(r, n / 2, true), second = rate(r + n / 2, n - n / 2, true);

	out->hz = 1e9 * raw.slope;
	out->hz_uncertainty = 1e9 * raw.slope_error;
	out->hz_monotonic = 1e9 * monotonic.slope;
	out->raw_ppm = relative_ppm(&first, &second, &out->raw_ppm_uncertainty);
	out->monotonic_ppm = relative_ppm(&raw, &monotonic, &out->monotonic_ppm_uncertainty);
	return 0;
}

double et_hz_by_sleep(uint64_t sleep_ns)
{
	if (!ET_HAVE_COUNTER)
		return NAN;
	struct timespec nap = et_ns_timespec(sleep_ns);
	uint64_t a = et_counter_start();
	int rc = nanosleep(&nap, NULL);
	uint64_t b = et_counter_stop();
	return rc || b <= a ? NAN : (double)(b - a) / (double)sleep_ns * 1e9;
}

void et_ntp_decode(const struct timex *t, struct et_ntp *out)
{
	/* freq is in ppm with a 16-bit fraction, offset in microseconds without STA_NANO. */
	out->error = 0;
	out->frequency_ppm = (double)t->freq / 65536;
	out->offset_ns = (double)t->offset * (t->status & STA_NANO ? 1 : 1000);
	out->max_error_ns = (double)t->maxerror * 1000;
	out->estimated_error_ns = (double)t->esterror * 1000;
	out->synchronised = !(t->status & STA_UNSYNC);
	out->disciplined = t->status & (STA_PLL | STA_FLL);
}

void et_ntp_read(struct et_ntp *out)
{
	struct timex t = { 0 };

	*out = (struct et_ntp){ 0 };
	if (adjtimex(&t) < 0)
		out->error = errno;
	else
		et_ntp_decode(&t, out);
}

/* --- the counters of two CPUs --- */

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

/* --- all measurements --- */

enum { READINGS = 64, ROUNDS = 2000 };

/* On a busy machine it takes long until enough timer interrupts were undisturbed. */
static const uint64_t TIMER_LEAST_NS = 5000000000;

static bool step_done(struct et_survey *s, const struct et_pulse *pulse)
{
	s->done++;
	s->cut_short = s->cut_short || !et_pulse_beat(pulse);
	return !s->cut_short;
}

static void survey_clocks(struct et_survey *s, const struct et_pulse *pulse)
{
	double overhead = et_timepiece_overhead(&et_clock_real);

	for (const struct et_timepiece *t = et_timepieces; t->name && !s->cut_short; t++) {
		struct et_survey_clock *c = &s->clocks[s->n_clocks++];
		c->is = t;
		et_timepiece_measure(t, &et_clock_real, overhead, &c->figures);
		if (t->kind == ET_CLOCK_COUNTER && c->figures.error && !s->counter_error)
			s->counter_error = c->figures.error;
		step_done(s, pulse);
	}
}

struct counted {
	struct et_survey *s;
	const struct et_pulse *pulse;
};

static bool count_beat(void *ctx)
{
	struct counted *c = ctx;

	return step_done(c->s, c->pulse);
}

static void survey_rate(struct et_survey *s, const struct et_pulse *pulse)
{
	struct et_drift_reading r[READINGS];
	struct counted counted = { s, pulse };
	struct et_pulse beat = { count_beat, &counted };

	s->n_readings = et_drift_read(s->duration_ns * 2 / 5, READINGS, &beat, r);
	s->drift_error = et_drift_fit(r, s->n_readings, &s->drift);
	if (s->drift_error == 0 && s->counter.name) {
		s->counter.hz = s->drift.hz;
		s->counter.hz_uncertainty = s->drift.hz_uncertainty;
	}
	et_ntp_read(&s->ntp);
	if (s->cut_short)
		return;
	s->sleep_ns = s->duration_ns / 5;
	s->hz_by_sleep = et_hz_by_sleep(s->sleep_ns);
	step_done(s, pulse);
}

/* Compares the CPU with each of the others, at most ET_SURVEY_PAIRS of them. */
static void survey_pairs(
	struct et_survey *s, const cpu_set_t *allowed, const struct et_pulse *pulse)
{
	size_t others = s->cpus - 1;
	uint64_t limit_ns = s->duration_ns / 10 / (others ? others : 1);
	const uint64_t least_ns = 5000000;

	for (int c = 0; c < CPU_SETSIZE && s->n_pairs < ET_SURVEY_PAIRS && !s->cut_short; c++) {
		if (c == s->cpu || !CPU_ISSET((size_t)c, allowed))
			continue;
		int rc = et_agreement_measure(s->cpu, c, ROUNDS,
			limit_ns > least_ns ? limit_ns : least_ns, &s->pairs[s->n_pairs]);
		if (rc)
			s->pairs_error = rc;
		else
			s->n_pairs++;
		step_done(s, pulse);
	}
}

static void survey_timer(struct et_survey *s, const struct et_survey_options *o)
{
	uint64_t half_ns = s->duration_ns / 2, tick_ns = et_clock_tick_ns();
	const struct et_timer_options timer = {
		.limit_ns = half_ns > TIMER_LEAST_NS ? half_ns : TIMER_LEAST_NS,
		.pulse = o->pulse,
		.tick_at_ns =
			o->tick_at_ns && tick_ns ? o->tick_at_ns(s->cpu, tick_ns) : ET_UNKNOWN,
		.stretches = &s->stretches,
	};

	s->timer_error = et_timer_spin(&s->counter, &timer, &s->timer);
}

static void survey_here(
	struct et_survey *s, const cpu_set_t *allowed, const struct et_survey_options *o)
{
	const struct et_pulse *pulse = o->pulse;

	s->total = READINGS + 2 + s->cpus - 1;
	for (const struct et_timepiece *t = et_timepieces; t->name; t++)
		s->total++;
	survey_clocks(s, pulse);
	/* Do not read a counter that is forbidden: SIGSEGV would end the process. */
	if (s->counter_error) {
		s->counter.name = NULL;
		s->drift_error = s->timer_error = -s->counter_error;
		return;
	}
	if (!s->cut_short)
		survey_rate(s, pulse);
	if (s->cut_short)
		return;
	survey_timer(s, o);
	if (step_done(s, pulse) && s->counter.name)
		survey_pairs(s, allowed, pulse);
}

int et_survey_take(const struct et_survey_options *o, struct et_survey *out)
{
	int cpu = o->cpu;
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -errno;
	/* For root, sched_setaffinity() would accept a CPU outside the inherited set. */
	if (cpu >= 0 && !CPU_ISSET((size_t)cpu, &allowed))
		return -EINVAL;
	memset(out, 0, sizeof(*out));
	out->cpu = cpu >= 0 ? cpu : sched_getcpu();
	out->cpus = (size_t)CPU_COUNT(&allowed);
	out->duration_ns = o->duration_ns;
	out->hz_by_sleep = NAN;
	out->drift_error = out->timer_error = -ENODATA;
	int rc = et_stay_on(out->cpu, NULL);
	if (rc)
		return rc;
	et_counter_identify(&out->counter);
	survey_here(out, &allowed, o);
	/* It fails only if all these CPUs are offline now; the kernel has moved the thread then. */
	sched_setaffinity(0, sizeof(allowed), &allowed);
	return 0;
}

/* --- conclusions --- */

const struct et_timepiece_figures *et_survey_find_sound(const struct et_survey *s, const char *name)
{
	for (size_t i = 0; i < s->n_clocks; i++) {
		const struct et_timepiece_figures *f = &s->clocks[i].figures;

		if (!strcmp(s->clocks[i].is->name, name))
			return f->error || f->backwards ? NULL : f;
	}
	return NULL;
}

double et_survey_step_ns(const struct et_survey *s, const struct et_survey_clock *c)
{
	if (c->is->kind != ET_CLOCK_COUNTER)
		return c->figures.step;
	return s->counter.hz > 0 ? c->figures.step / s->counter.hz * 1e9 : NAN;
}

struct et_survey_offsets et_survey_offsets(const struct et_survey *s)
{
	struct et_survey_offsets o = { .worst_ns = NAN };

	for (size_t i = 0; i < s->n_pairs; i++) {
		const struct et_agreement *a = &s->pairs[i];
		if (!a->rounds) {
			o.silent++;
			continue;
		}
		o.compared++;
		o.backwards = o.backwards || a->backwards;
		o.moves = o.moves || et_agreement_moves(a);
		double furthest = fmax(fabs((double)a->lo), fabs((double)a->hi));
		if (s->counter.hz > 0 && !(furthest / s->counter.hz * 1e9 < o.worst_ns))
			o.worst_ns = furthest / s->counter.hz * 1e9;
	}
	return o;
}

bool et_survey_has_timer(const struct et_survey *s)
{
	return (s->timer_error == 0 || s->timer_error == -EAGAIN) && s->timer.tick_ns > 0;
}

bool et_survey_counter_sound(const struct et_survey *s)
{
	struct et_survey_offsets o = et_survey_offsets(s);

	return s->counter.name && s->counter.invariant && s->drift_error == 0 && !o.backwards &&
	       !o.moves;
}
