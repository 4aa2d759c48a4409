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
 * Two children are held at their start lines. Releases the first child for half a beat, then the
 * second for a whole one, and so on in turn until one of them has ended. The half beat matters:
 * afterwards the two are ahead of each other by half a beat alternately, so a change of speed at
 * any moment favours neither. Both run freely afterwards, or when *stop is set. Call it on another
 * CPU than theirs, and et_reap_wait() next.
 */
void et_metronome_run(const struct et_reap_request children[static 2], struct et_start *starts,
	uint64_t beat_ns, const volatile sig_atomic_t *stop);
