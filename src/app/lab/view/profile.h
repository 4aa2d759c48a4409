/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of the lab's experiments about profilers as tables, curves, JSON and SVG. */
#pragma once

#include "draw/terminal.h"
#include "lab/address_bias.h"
#include "lab/profile_treatment.h"

/* The standard deviation over the number of calls, beside the models. */
void et_fragmentation_text(const struct et_profile_study *s, const struct et_page *page);
void et_fragmentation_svg(const struct et_profile_study *s, FILE *out);
/* Means and standard deviations over the rate; x of a treatment is its period in ns. */
void et_sampling_rate_text(const struct et_profile_study *s, const struct et_page *page);
void et_sampling_rate_svg(const struct et_profile_study *s, FILE *out);
/* The counts with and without a load. */
void et_competing_load_text(const struct et_profile_study *s, const struct et_page *page);
void et_competing_load_svg(const struct et_profile_study *s, FILE *out);
/* The grid of means, the projection of function1 and the shares. */
void et_triangle_text(const struct et_profile_study *s, const struct et_page *page);
void et_triangle_svg(const struct et_profile_study *s, FILE *out);
/* All of them as JSON; the triangle's treatments have their verdicts. */
void et_profile_study_json(const struct et_profile_study *s, FILE *out);

/* The addresses of each treatment: one bias per treatment of the study. */
void et_sampling_bias_text(const struct et_profile_study *s, const struct et_address_bias *bias,
	const struct et_page *page);
void et_sampling_bias_json(
	const struct et_profile_study *s, const struct et_address_bias *bias, FILE *out);
void et_sampling_bias_svg(
	const struct et_profile_study *s, const struct et_address_bias *bias, FILE *out);
