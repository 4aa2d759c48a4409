/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

struct et_store;

/*
 * Copies the calibration of `put inc` on this machine into the spool as the fact "put-calibration",
 * so that it is delivered with the other facts. Does nothing if there is none, or it is there.
 */
void et_calibration_spool(struct et_store *spool);
