/* SPDX-License-Identifier: MIT */
/* A slice as JSON, on its way from the process that took it to the one that judges it. */
#pragma once

#include "base/json.h"
#include "lib/bench/model.h"

#include <jansson.h>

/* Writes all members except which, process and old, which the receiver knows. */
void et_slice_write(struct et_json *j, const char *key, const struct et_slice *s);
/* Returns false, with nothing to free, if it is not the JSON of a slice. */
bool et_slice_parse(const json_t *j, struct et_slice *out) ET_CHECK;
