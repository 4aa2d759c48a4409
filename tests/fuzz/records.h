/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that the targets of records and of the store share. */
#pragma once

#include "fuzz.h"
#include "store/import/import.h"

/* A choice that depends on the input only. */
uint64_t fuzz_hash(const uint8_t *data, size_t size);
/* The native record without results. The caller frees it. */
char *fuzz_native(const struct et_experiment *e, size_t *size);
/* Imports with fixed options. */
int fuzz_import_bytes(const char *data, size_t size, enum et_import_format format,
	const char *column, struct et_experiment **out);
