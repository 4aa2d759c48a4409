/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engine for machines without a scheduler, by the program ssh and the user's configuration. A
 * task does not depend on the connection: its files on the host (process, exit status, log) show
 * its state. One runs on a host at a time; poll() starts the others. Private to src/engine.
 */
#pragma once

#include "engine/command.h"
#include "engine/engine.h"

struct et_ssh_host {
	char *name;    /* as the user gave it: the name of the node */
	char *address; /* without user and port */
	char *user;    /* or NULL */
	unsigned port; /* 0: the configured one */
	/* Found by the last question to it. */
	bool heard;                /* it has answered at least once */
	bool running;              /* a task of this campaign runs there */
	uint64_t silent_since_ns;  /* 0: it answers */
	uint64_t running_since_ns; /* when its task was seen first; 0: none runs */
	uint64_t ask_again_ns;     /* not before */
	char why[160];             /* why it does not answer, or cannot start a task */
};

enum et_ssh_state {
	ET_SSH_QUEUED,
	ET_SSH_UNSURE, /* the answer to a start was lost: only this host may try again */
	ET_SSH_RUNNING,
	ET_SSH_ENDED,
	ET_SSH_LOST, /* it died without an exit status, for instance when the host was rebooted */
	ET_SSH_STUCK,
};

enum { ET_SSH_NO_HOST = -1 };

/* The newest submission of a part. */
struct et_ssh_job {
	uint32_t part, generation;
	int bound; /* the host that it must run on, or ET_SSH_NO_HOST */
	int host;  /* where it is, or ET_SSH_NO_HOST */
	enum et_ssh_state state;
	bool seen; /* during the current question */
	int status;
	char why[160];
};

struct et_ssh_input {
	uint32_t generation;
	char *text;
};

struct et_ssh {
	struct et_engine base;
	struct et_engine_setup setup;
	struct et_ssh_host *hosts;
	size_t n_hosts;
	struct et_ssh_job *jobs;
	size_t n_jobs, room;
	struct et_ssh_input *inputs;
	size_t n_inputs, room_inputs;
	char folder[80];  /* of the sockets of shared connections; "": none */
	char *copy;       /* the file name of the copied etalon, or NULL */
	uint64_t lost_ns; /* a host that is silent for longer has lost its task */
};

extern const struct et_engine_ops et_engine_ssh;

/* --- ssh_hosts.c --- */

/* Reads "a,user@b:2222" or "@FILE"; if `nodes` is given, only these of them are kept. */
int et_ssh_hosts_read(const char *text, const char *nodes, struct et_ssh_host **out, size_t *n,
	struct et_error *err) ET_CHECK;
void et_ssh_hosts_free(struct et_ssh_host *hosts, size_t n);
/* Returns the index of a host, or ET_SSH_NO_HOST. */
int et_ssh_host_find(const struct et_ssh_host *hosts, size_t n, const char *name);

/* --- ssh_script.c: texts for /bin/sh; the caller frees them --- */

/* The first line of the answer of each script; a login shell may print anything before it. */
#define ET_SSH_BEGIN "etalon-ssh-begin"
#define ET_SSH_BUSY "etalon-ssh-busy"

/* Runs argv, unless a task runs there. */
char *et_ssh_script_ask(const struct et_ssh *s, char *const *argv, const char *input);
/* Starts a part; prints "started", "busy", or "failed" with a reason. */
char *et_ssh_script_start(const struct et_ssh *s, const struct et_ssh_host *host,
	const struct et_ssh_job *job, const char *input);
/* Prints one line per job: "PART.GENERATION running|lost|ended [STATUS TEXT]". */
extern const char *const et_ssh_poll;
/* Ends all tasks of the campaign and waits for their end. */
extern const char *const et_ssh_cancel;
/* Executes one of these in the folder of the host's tasks. */
char *et_ssh_script_tasks(const struct et_ssh *s, const struct et_ssh_host *host, const char *body);
/* Prints the architecture, and "have" or "lack": whether the copy is there. */
char *et_ssh_script_look(const struct et_ssh *s, const char *digest);

/* --- ssh_connect.c --- */

/* Makes the folder of the sockets; without one, every question needs a connection of its own. */
void et_ssh_folder_make(struct et_ssh *s);
void et_ssh_folder_remove(struct et_ssh *s);
/* A script for a host, and what came of it. */
struct et_ssh_talk {
	struct et_ssh_host *host;
	char *script;           /* owned */
	struct et_ssh_job *job; /* that the script starts, or NULL */
	struct et_answer answer;
	char *out; /* the part after ET_SSH_BEGIN; NULL: the script was not reached */
};
/* Runs n scripts at the same time, and notes the hosts that answer. */
void et_ssh_run(const struct et_ssh *s, struct et_ssh_talk *talks, size_t n, unsigned seconds);
void et_ssh_talks_free(struct et_ssh_talk *talks, size_t n); /* also the array */
/* Fills err for a host that was not reached, with the cure. */
int et_ssh_failed(const struct et_ssh_host *host, const struct et_answer *answer,
	struct et_error *err) ET_CHECK;
/* Copies this etalon to all hosts that lack it, and sets s->copy. */
int et_ssh_copy(struct et_ssh *s, struct et_error *err) ET_CHECK;

/* --- ssh.c --- */

/* Reads one line of a poll's answer. False: it is none. */
bool et_ssh_read_state(struct et_ssh *s, int host, char *line);
