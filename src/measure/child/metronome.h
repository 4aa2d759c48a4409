/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lets two programs on one CPU run in turn, by signals from another CPU. The steps are finer than
 * the scheduler's time slices, so a change of the machine's speed hits both programs more alike.
 */
#pragma once

#include "measure/child/child.h"
#include "measure/child/reap.h"
#include "model/experiment/experiment.h"

/*
 * Returns the beat for a new experiment that leaves it to us (ET_METRONOME_AUTO): 1 ms if it has
 * duets and etalon may use a second CPU, otherwise 0. With a reference loop (--pace) it is 0 as
 * well: the loop would be slowed down more than what it is compared with.
 */
uint64_t et_metronome_choose(const struct et_experiment *e);

/*
 * The program that ends after the other one ends faster, by some 50 µs: what the kernel keeps on a
 * CPU for the processes that start there is put in order by the first one that exits. A small
 * difference would lose that if the longer program always were the last. So each is the first in
 * half of the duets: near its end it keeps its turn.
 */
struct et_metronome_turns {
	int first; /* this child shall end first */
	uint64_t
		usual_ns[2]; /* the time of its own turns that each child took lately; 0: unknown */
	/* Filled: the time of the turns of each until one of them had ended, and when that was
	 * seen. */
	uint64_t used_ns[2], end_ns;
};

/* Whether the child that shall end first, and runs, is so near its end that it keeps its turn. */
bool et_metronome_keeps_turn(const struct et_metronome_turns *turns, uint64_t beat_ns);

/* Continues a program that was stopped with its group, and its processes that have left that. */
void et_metronome_continue(pid_t pid);

/*
 * Two children are held at their start lines. Releases the first child for half a beat, then the
 * second for a whole one, and so on in turn until one of them has ended. The half beat matters:
 * afterwards the two are ahead of each other by half a beat alternately, so a change of speed at
 * any moment favours neither. Both run freely afterwards, or when *stop is set. Call it on another
 * CPU than theirs, and et_reap_wait() next.
 */
void et_metronome_run(const struct et_reap_request children[static 2], struct et_start *starts,
	uint64_t beat_ns, struct et_metronome_turns *turns, const volatile sig_atomic_t *stop);
