/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An engine starts programs on other machines, by a scheduler or by ssh; it knows nothing about
 * experiments or stores. A wrong setup has the exit status of its cause: 2 what the user asked for
 * does not exist, 3 the machine lacks something, 4 the scheduler or a node failed.
 */
#pragma once

#include "base/error.h"
#include "model/experiment/campaign.h"

#include <signal.h>

struct et_engine;

/* How the engine is to be used. The strings must outlive the engine. */
struct et_engine_setup {
	const char *hosts;        /* what follows "ssh:"; NULL for slurm */
	const char *nodes;        /* --nodes LIST: only these machines; or NULL */
	const char *partition;    /* --partition, or NULL */
	const char *constraint;   /* --constraint, or NULL */
	const char *account;      /* --account, or NULL */
	const char *const *extra; /* further words for sbatch or ssh; NULL ends them; or NULL */
	uint64_t time_limit_ns;   /* of one part; 0: the scheduler's own */
	const char *etalon;       /* the path of etalon on the nodes */
	bool copy;                /* ssh: copy this etalon to nodes that lack it */
	const char *scratch;      /* a folder for temporary files; NULL: /tmp */
	const char *name;         /* of the campaign, for the scheduler's lists */
	const char *id;           /* of the campaign */
	bool later;               /* continues a campaign: the machines may be down now */
	/* If this becomes other than 0, questions to nodes end with -EINTR; or NULL. */
	const volatile sig_atomic_t *stop;
};

/* One part to be run. */
struct et_job {
	uint32_t part;
	const char *node; /* or NULL: any */
};

struct et_engine_ops {
	const char *name; /* "slurm" or "ssh" */
	/* Checks that everything is there which submitting needs. */
	int (*open)(const struct et_engine_setup *setup, struct et_engine **out,
		struct et_error *err) ET_CHECK;
	void (*close)(struct et_engine *e); /* jobs are not ended; NULL is fine */
	/* Refuses more jobs than it can take at once; NULL: it can take any number. */
	int (*check)(struct et_engine *e, size_t jobs, struct et_error *err) ET_CHECK;
	/* The machines that it can use now. The caller frees the list with et_strv_free. */
	int (*nodes)(struct et_engine *e, char ***out, struct et_error *err) ET_CHECK;
	/*
	 * Runs a short command on a node and returns its standard output, at most 1 MB. -EAGAIN:
	 * the node is busy. -ENOENT: it has no such program. If argv[0] is the setup's `etalon`,
	 * the engine takes the path of etalon on that node. Several threads may call this at a
	 * time; they ignore SIGPIPE. The caller frees *out.
	 */
	int (*ask)(struct et_engine *e, const char *node, char *const *argv, const char *input,
		char **out, struct et_error *err) ET_CHECK;
	/*
	 * Submits jobs, which execute `etalon task` with `input` (less than 4 MB) and learn there
	 * which part they are. generation numbers the submissions from 1; a part with a job of it
	 * is not submitted again. *name is the name of the submission; the caller frees it.
	 */
	int (*submit)(struct et_engine *e, const struct et_job *jobs, size_t n, const char *input,
		uint32_t generation, char **name, struct et_error *err) ET_CHECK;
	/*
	 * -EAGAIN of submit and poll: the scheduler does not answer, the same call may succeed
	 * later. -EINVAL of submit: it refuses such jobs, and will do so again.
	 */
	/* Reports the state of n parts of this campaign, also of submissions by other processes. */
	int (*poll)(struct et_engine *e, struct et_job_report *reports, size_t n,
		struct et_error *err) ET_CHECK;
	/* Ends all jobs of this campaign. */
	int (*cancel)(struct et_engine *e, struct et_error *err) ET_CHECK;
};

struct et_engine {
	const struct et_engine_ops *ops;
};

/* Finds a kind of engine; NULL: there is none of that name. */
const struct et_engine_ops *et_engine_find(const char *name);
