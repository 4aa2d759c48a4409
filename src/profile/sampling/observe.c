/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Observer: samples the program. With a control group of its own the events are opened once; after
 * each run they are prepared for the next, so that nothing is left to do when it starts. Without
 * one the events are opened for the held child, and the threads and children inherit them.
 */
#include "profile/sampling/observe.h"
#include "measure/child/cgroup.h"
#include "measure/child/run.h"
#include "profile/sampling/burners.h"
#include "profile/sampling/sampler.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

/* --- the drainer --- */

/* A thread that sleeps until a ring is half full, and drains all then: a long run loses nothing. */
struct drainer {
	bool running;
	pthread_t thread;
	int stop_fd; /* an eventfd(2) */
	struct et_sampler *sampler;
	struct et_events *events;
};

static void *drain(void *ctx)
{
	struct drainer *d = ctx;
	const struct sched_param normal = { 0 };
	size_t n = 2 * d->events->n;
	ET_AUTO_FREE struct pollfd *p = et_calloc(n + 1, sizeof(*p));

	/* etalon itself may have a real-time priority, with which this would stop the program. */
	sched_setscheduler(0, SCHED_OTHER, &normal);
	for (size_t i = 0; i < d->events->n; i++) {
		p[2 * i] = (struct pollfd){ d->events->cpus[i].samples.fd, POLLIN, 0 };
		p[2 * i + 1] = (struct pollfd){ d->events->cpus[i].side.fd, POLLIN, 0 };
	}
	p[n] = (struct pollfd){ d->stop_fd, POLLIN, 0 };
	for (;;) {
		int ready = poll(p, n + 1, -1);
		if (p[n].revents || (ready < 0 && errno != EINTR))
			return NULL;
		et_sampler_drain(d->sampler, d->events, false);
		/* The rings of events whose last task has ended report POLLHUP for ever. */
		for (size_t i = 0; i < n; i++) {
			if (p[i].revents & (POLLHUP | POLLERR | POLLNVAL))
				p[i].fd = -1;
		}
	}
}

/* Until it is stopped, nobody else may use sampler and events. 0 or -errno. */
static int start_drainer(struct drainer *d, struct et_sampler *sampler, struct et_events *events)
{
	sigset_t all, old;

	*d = (struct drainer){ .sampler = sampler, .events = events };
	d->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (d->stop_fd < 0)
		return -errno;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int rc = pthread_create(&d->thread, NULL, drain, d);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	d->running = rc == 0;
	if (rc)
		close(d->stop_fd);
	return -rc;
}

static void stop_drainer(struct drainer *d)
{
	const uint64_t one = 1;

	if (!d->running)
		return;
	(void)!write(d->stop_fd, &one, sizeof(one));
	pthread_join(d->thread, NULL);
	close(d->stop_fd);
	d->running = false;
}

/* --- the observation --- */

struct observation {
	const char *root;
	const struct et_experiment *e;
	struct et_event_kind kind;
	double mean; /* distance between samples that is wanted */
	cpu_set_t cpus;
	size_t each; /* events per CPU */
	bool grouped;
	struct et_event_group group;
	struct et_squad burners;
	struct et_events events;
	struct et_sampler *sampler;
	struct drainer drainer;
	struct et_periods periods;
	bool ready; /* the events of the group wait for the next run */
};

/* --- the next run --- */

/* The number of a run is that in the experiment, so a resumed one draws other periods. */
static void draw(struct observation *o, uint64_t run)
{
	et_periods_draw(
		o->e->plan.seed, run, o->mean, o->each, o->e->profile->plan.fixed, &o->periods);
}

/* An event and when to enable it: this much CPU time before the program starts. */
struct start {
	size_t event;
	uint64_t before_ns;
};

static int earliest_first(const void *a, const void *b)
{
	const struct start *x = a, *y = b;

	return ET_ORDER(y->before_ns, x->before_ns);
}

/* Enables each event when as much CPU time is left to burn as is to pass before the program. */
static void prime(struct observation *o, uint64_t run)
{
	struct start starts[ET_MOST_EVENTS] = { 0 };

	draw(o, run);
	et_events_set(&o->events, &o->periods);
	for (size_t i = 0; i < o->each; i++)
		starts[i] = (struct start){ i,
			(uint64_t)(o->periods.passed[i] * (double)o->periods.period[i] /
				   o->kind.per_ns) };
	qsort(starts, o->each, sizeof(*starts), earliest_first);
	for (size_t i = 0; i < o->each; i++) {
		uint64_t next_ns = i + 1 < o->each ? starts[i + 1].before_ns : 0;
		et_events_enable(&o->events, starts[i].event);
		et_burners_burn(&o->burners, starts[i].before_ns - next_ns);
	}
	o->ready = true;
}

/* Whether another run follows for sure or may follow; if this is wrong, before() primes. */
static bool run_follows(const struct observation *o)
{
	const struct et_plan *plan = &o->e->plan;
	size_t all = o->e->n_commands * ((size_t)plan->runs + plan->warmup);

	return plan->runs == 0 || plan->until_ratio > 0 || o->e->profile->n_runs + 1 < all;
}

/* Also after a run that failed, which has had no after(). */
static void stop(struct observation *o)
{
	stop_drainer(&o->drainer);
	et_events_disable(&o->events);
	o->ready = false;
}

/* --- opening --- */

/* How many events per CPU the limit of open files allows, with one for the side band. */
static size_t affordable(const cpu_set_t *cpus)
{
	const size_t others = 100;
	struct rlimit limit;
	size_t n = (size_t)CPU_COUNT(cpus);

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || n == 0)
		return 1;
	size_t each = limit.rlim_cur > others ? (limit.rlim_cur - others) / n : 0;
	return each < 2 ? 1 : each - 1 > ET_MOST_EVENTS ? ET_MOST_EVENTS : each - 1;
}

/* A program may move to other CPUs: all are watched, unless that takes too many files. */
static void choose_cpus(struct observation *o, const cpu_set_t *allowed)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	CPU_ZERO(&o->cpus);
	for (int i = 0; i < n && i < CPU_SETSIZE; i++)
		CPU_SET(i, &o->cpus);
	if (allowed && affordable(&o->cpus) < ET_MOST_EVENTS)
		o->cpus = *allowed;
}

static bool open_group(struct observation *o, const cpu_set_t *allowed)
{
	size_t quick = et_periods_events(o->mean / o->kind.per_ns), most = affordable(&o->cpus);

	if (!et_event_group_open(&o->group, o->root))
		return false;
	o->each = quick < most ? quick : most;
	/* Counters are few, and the kernel would make events take turns. */
	if (o->e->profile->plan.fixed || o->kind.type == PERF_TYPE_HARDWARE)
		o->each = 1;
	const struct et_events_target target = {
		.kind = &o->kind, .each = o->each, .group_fd = o->group.dir_fd
	};
	int rc = et_events_open(&o->events, &target, &o->cpus);
	if (rc == 0)
		rc = et_burners_open(&o->burners, allowed ? allowed : &o->cpus, o->group.procs_fd);
	if (rc == 0)
		return true;
	et_events_close(&o->events);
	et_event_group_close(&o->group);
	return false;
}

static int open_profile(const struct et_observer_setup *setup, void **self, struct et_error *err)
{
	struct et_profile *p = setup->e->profile;

	if (!p)
		return 0;
	struct observation *o = et_calloc(1, sizeof(*o));
	struct et_profile_plan plan = p->plan;
	if (p->n_runs && p->event[0]) /* a resumed profile keeps its event */
		memcpy(plan.event, p->event, sizeof(plan.event));
	int rc = et_event_choose(setup->root, &plan, &o->kind, err);
	if (rc) {
		free(o);
		return rc;
	}
	o->root = setup->root;
	o->e = setup->e;
	o->mean = et_event_period(&o->kind, &plan);
	choose_cpus(o, setup->cpus);
	o->grouped = open_group(o, setup->cpus);
	if (!o->grouped)
		o->each = 1;
	o->sampler = et_sampler_new(o->root, p, &o->kind);
	snprintf(p->event, sizeof(p->event), "%s", o->kind.name);
	p->way = o->grouped ? ET_PROFILE_CGROUP : ET_PROFILE_INHERITED;
	p->kernel_allowed = !o->kind.forbidden_kernel;
	if (o->grouped)
		prime(o, p->n_runs);
	*self = o;
	return 0;
}

static void close_profile(void *self)
{
	struct observation *o = self;

	stop_drainer(&o->drainer);
	et_squad_close(&o->burners);
	et_events_close(&o->events);
	if (o->grouped)
		et_event_group_close(&o->group);
	et_sampler_free(o->sampler);
	free(o);
}

/* --- a run --- */

static void before(void *self, struct et_run *run)
{
	struct observation *o = self;

	if (!o->grouped)
		return;
	if (!o->ready || o->drainer.running) {
		stop(o);
		prime(o, o->e->profile->n_runs);
	}
	run->setups[0].attach_fd = o->group.procs_fd;
}

static int attach(void *self, struct et_run *run, struct et_error *err)
{
	struct observation *o = self;
	pid_t pid = run->waits[0].pid;
	struct et_events_target target = {
		.kind = &o->kind, .each = 1, .group_fd = -1, .pid = pid
	};
	const double short_periods = 10;
	int rc = 0;

	if (run->n_children != 1)
		return et_fail_hint(err, ENOTSUP, ET_EXIT_USAGE, "omit --pace and --order duet",
			"a profile is taken of one program at a time");
	if (!o->grouped) {
		stop_drainer(&o->drainer);
		et_events_close(&o->events); /* of a run that failed */
		draw(o, o->e->profile->n_runs);
		target.period = o->periods.period[0];
		rc = et_events_open(&o->events, &target, &o->cpus);
	}
	if (rc)
		return et_event_refused(o->root, -rc, err);
	et_events_begin(&o->events);
	et_sampler_begin(o->sampler, pid,
		run->setups[0].identity ? run->setups[0].identity->uid : 0,
		(uint64_t)(short_periods * o->mean / o->kind.per_ns));
	rc = start_drainer(&o->drainer, o->sampler, &o->events);
	if (rc)
		return et_fail_errno(
			err, -rc, ET_EXIT_OUTSIDE, "cannot start a thread that reads samples");
	return 0;
}

static void after(void *self, struct et_run *run)
{
	(void)run;
	stop(self);
}

static void fill(void *self, struct et_run *run, struct et_sample *samples)
{
	struct observation *o = self;
	struct et_events_read read;

	(void)run;
	et_sampler_drain(o->sampler, &o->events, true);
	et_events_read(&o->events, &o->periods, &read);
	struct et_profile_run *p = et_sampler_end(o->sampler);
	p->period = et_periods_mean(&o->periods);
	p->counted = read.counted;
	p->lost = read.lost > p->lost ? read.lost : p->lost;
	/* Inherited events begin a period in each task, so it is not known how many are due. */
	if (o->grouped)
		p->overruns = et_periods_overruns(read.due, et_sampler_taken(o->sampler), p->lost);
	samples[0].measured.profile = p;
	if (!o->grouped)
		et_events_close(&o->events);
	else if (run_follows(o))
		prime(o, o->e->profile->n_runs + 1);
}

const struct et_observer et_observe_profile = {
	.name = "profile",
	.on_request = true,
	.holds_child = true,
	.open = open_profile,
	.before = before,
	.attach = attach,
	.after = after,
	.fill = fill,
	.close = close_profile,
};
