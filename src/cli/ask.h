/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions to the person at the terminal. */
#pragma once

#include "base/base.h"

/* Whether somebody can answer: standard input and standard error are a terminal. */
bool et_can_ask(void);
/* Prints what it is about, then the question. Anything but y or yes, and a signal, is no. */
bool et_ask(const char *about, const char *question);
