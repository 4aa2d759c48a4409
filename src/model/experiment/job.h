/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How an engine (engine/engine.h) reports the state of its jobs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum et_job_state {
	ET_JOB_UNKNOWN, /* the engine does not know it any more: ended, or lost */
	ET_JOB_WAITING,
	ET_JOB_RUNNING,
	ET_JOB_ENDED, /* with `status` */
	ET_JOB_STUCK, /* it will not start by itself: `why` */
};

struct et_job_report {
	uint32_t part;
	uint32_t generation; /* of the submission that this is about; 0: not known */
	enum et_job_state state;
	int status;        /* the exit status of ET_JOB_ENDED */
	char node[64];     /* where it runs or ran, or "" */
	char why[160];     /* in words, or "" */
	uint32_t restarts; /* how often the engine started it again */
	bool final; /* of ET_JOB_ENDED: a person ended it, or another attempt would fail, too */
};
