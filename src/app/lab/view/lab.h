/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of the lab's simulations as tables, curves and JSON. */
#pragma once

#include "draw/terminal.h"
#include "lab/coverage.h"
#include "lab/duet_bias.h"
#include "lab/false_alarms.h"
#include "lab/quantisation.h"

/* The settings requested by the user; the result of a simulation has those in effect. */
struct et_lab_asked {
	uint64_t seed;
	uint32_t repetitions;
	size_t replicates;
};

void et_coverage_text(const struct et_coverage *c, const struct et_page *page);
void et_coverage_json(const struct et_coverage *c, const struct et_lab_asked *asked, FILE *out);
void et_false_alarms_text(const struct et_false_alarms *f, const struct et_page *page);
void et_false_alarms_json(
	const struct et_false_alarms *f, const struct et_lab_asked *asked, FILE *out);
void et_quantisation_text(const struct et_quantisation *q, const struct et_page *page);
void et_quantisation_svg(const struct et_quantisation *q, FILE *out);
void et_quantisation_json(
	const struct et_quantisation *q, const struct et_lab_asked *asked, FILE *out);
void et_duet_bias_text(const struct et_duet_bias *b, const struct et_page *page);
void et_duet_bias_json(const struct et_duet_bias *b, FILE *out);
