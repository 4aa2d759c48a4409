/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The timer of signals.c. Its signal is one that the caller neither ignores nor blocks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Call it before handlers are installed. */
void et_signal_timer_make(void);
/* Sends the signal after ns, and every interval_ns from then on (0: once). 0 ns stops the timer. */
void et_signal_timer_start(uint64_t ns, uint64_t interval_ns);
/* The signal, whose si_code is SI_TIMER; 0: there is no timer. */
int et_signal_timer_signal(void);
