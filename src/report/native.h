/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The native record: everything known of an experiment as JSON, from which it can be read back.
 * Keys are a contract with other people's scripts: add, never rename.
 */
#ifndef ET_REPORT_NATIVE_H
#define ET_REPORT_NATIVE_H

#include "model/result.h"

void et_native_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out);

#endif
