/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks all nodes for a probe and prints the judgement. */
#include "campaign/preflight.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/parse.h"
#include "store/core/store.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

/* At most this many nodes are asked at the same time. */
enum { MOST_THREADS = 16 };

struct round {
	struct et_engine *engine;
	char *const *argv;
	struct et_node_probe *probes;
	size_t n;
	atomic_size_t next;
};

static void ask(struct round *r, struct et_node_probe *p)
{
	char *text = NULL;

	p->sent_wall_ns = et_clock_real.wall_ns(NULL);
	p->rc = r->engine->ops->ask(r->engine, p->node, r->argv, NULL, &text, &p->err);
	p->got_wall_ns = et_clock_real.wall_ns(NULL);
	if (!p->rc)
		p->rc = et_probe_read(text, strlen(text), p, &p->err);
	if (p->rc == -EPROTO)
		p->rc = et_hint(&p->err, p->rc, "install etalon %s on %s", ET_VERSION, p->node);
	free(text);
}

static void *ask_some(void *arg)
{
	struct round *r = arg;

	for (size_t i; (i = atomic_fetch_add(&r->next, 1)) < r->n;)
		ask(r, &r->probes[i]);
	return NULL;
}

/* If no thread can be made, this one asks all nodes, one after the other. */
static void ask_all(struct round *r)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	pthread_t threads[MOST_THREADS];
	sigset_t all, mask;
	size_t n = 0;

	/* Signals are for the thread that waits; see ops->ask about SIGPIPE. */
	sigfillset(&all);
	(void)sigaction(SIGPIPE, &ignore, &before);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	while (n < MOST_THREADS && n + 1 < r->n && !pthread_create(&threads[n], NULL, ask_some, r))
		n++;
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	ask_some(r);
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	(void)sigaction(SIGPIPE, &before, NULL);
}

static const char *const leads[] = { "note:", "warning:", "error:" };
static const char *const styles[] = { NULL, "33", "31" };

void et_preflight_print(const struct et_preflight *p, const struct et_page *page)
{
	bool first_error = true;

	for (size_t i = 0; i < p->n_findings; i++) {
		const struct et_preflight_finding *f = &p->findings[i];
		bool is_first = f->kind == ET_PREFLIGHT_ERROR && first_error;

		first_error = first_error && !is_first;
		if (is_first)
			continue;
		ET_AUTO_FREE char *text =
			f->cure ? et_asprintf("%s; %s", f->text, f->cure) : et_strdup(f->text);
		et_page_paragraph(page, (int)strlen(leads[f->kind]) + 1, leads[f->kind],
			styles[f->kind], text, NULL);
	}
	if (p->n_differences)
		et_page_paragraph(page, 9, leads[ET_PREFLIGHT_WARNING],
			styles[ET_PREFLIGHT_WARNING],
			"the machines differ: the value on most of them, and (in parentheses) "
			"those "
			"with another:",
			NULL);
	for (size_t i = 0; i < p->n_differences; i++) {
		const struct et_preflight_difference *d = &p->differences[i];
		ET_AUTO_FREE char *lead = et_asprintf("  %-22.60s", d->factor);
		ET_AUTO_FREE char *clean = et_clean(lead, "");
		ET_AUTO_FREE char *text = et_asprintf("%s (%s)", d->usual, d->others);
		et_page_paragraph(page, 25, clean, "2", text, NULL);
	}
}

int et_preflight(const struct et_cli *cli, struct et_engine *engine,
	const struct et_preflight_setup *setup, FILE *out, struct et_error *err)
{
	char *argv[] = { (char *)setup->etalon, (char *)"task", (char *)"--probe",
		setup->store ? (char *)"--store" : NULL, (char *)setup->store, NULL };
	size_t n = et_strv_length(setup->nodes);
	ET_AUTO_FREE struct et_node_probe *probes = et_calloc(n + 1, sizeof(*probes));
	struct et_page page = {
		.out = out, .width = cli->columns, .color = cli->color && out == stdout
	};
	struct round r = { .engine = engine, .argv = argv, .probes = probes, .n = n };
	struct et_preflight result;

	for (size_t i = 0; i < n; i++)
		probes[i].node = et_strdup(setup->nodes[i]);
	ask_all(&r);
	et_preflight_judge(probes, n, ET_VERSION, et_store_schema_version(), &result);
	if (cli->verbosity >= 0)
		et_preflight_print(&result, &page);
	if (cli->verbosity > 0)
		fprintf(out, "%zu of %zu nodes answered\n", result.n_answered, n);
	int rc = result.rc;
	if (rc)
		*err = result.err;
	et_preflight_free(&result);
	for (size_t i = 0; i < n; i++)
		et_probe_free(&probes[i]);
	return rc;
}
