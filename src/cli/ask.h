/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions to the person at the terminal. */
#pragma once

#include "base/base.h"

/* Whether somebody can answer: standard input and standard error are a terminal. */
bool et_can_ask(void);
/*
 * Prints what it is about, wrapped, then on a line of its own the question and " [y/N] ". Anything
 * but y or yes is no; so is a signal.
 */
bool et_ask(const char *about, const char *question);
