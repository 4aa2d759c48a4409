/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A squad: processes of ours that work on demand and sleep otherwise. They exist from the start, so
 * that an order costs one wake-up. They are children without an exit signal, as the keeper is
 * (keeper.h), so that waiting for programs does not report them, and they die with etalon.
 */
#pragma once

#include "base/base.h"

#include <sys/types.h>

/* In memory that all of them share; the first member of a struct with what they must know. */
struct et_squad_board {
	uint32_t order; /* increases with each order */
	uint32_t done;  /* this many have completed it */
};

struct et_squad {
	struct et_squad_board *board;
	size_t board_bytes;
	pid_t *pids;
	size_t n;
};

/* Starts a child without an exit signal. Returns as fork() does, but -errno. */
pid_t et_squad_fork(void);
/* Ends such a child. */
void et_squad_end(pid_t pid);

/* Maps the board, all zero, for this many processes. 0 or -errno. */
int et_squad_open(struct et_squad *c, size_t board_bytes, size_t most) ET_CHECK;
/* In a new process: it gets a name, the usual scheduling class, and dies with etalon. */
void et_squad_enter(const char *name);
/*
 * In the process, at last: closes all files, because locks that are inherited would outlive etalon,
 * and calls work() once per order.
 */
_Noreturn void et_squad_serve(
	struct et_squad_board *board, pid_t etalon, void (*work)(void *ctx), void *ctx);
/* Orders all to work. The other members of the board must be written before. */
void et_squad_order(struct et_squad *c);
/* Waits until all have completed the order, at most this long. */
void et_squad_wait(struct et_squad *c, uint64_t most_ns);
void et_squad_close(struct et_squad *c); /* all zero is fine */
