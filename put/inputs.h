/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the inputs of whole programs. They depend on the size only, so they are the same on every
 * machine. Errors of writing are those of the stream.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

typedef void et_input_write(FILE *out, uint64_t size);

et_input_write et_write_text;     /* KiB of words that can be compressed */
et_input_write et_write_c;        /* C functions, no two alike */
et_input_write et_write_sieve;    /* a sieve of Eratosthenes in Perl; the size is its argument */
et_input_write et_write_bodies;   /* planets that attract each other in Lua; likewise */
et_input_write et_write_pi;       /* digits of pi, for bc */
et_input_write et_write_proteins; /* proteins of 200 residues */
et_input_write et_write_scene;    /* mirrors on a checkered floor; any size */
et_input_write et_write_video;    /* frames of 176 by 144 in YUV 4:2:0: a moving pattern */
et_input_write et_write_picture;  /* one frame of that many pixels across and down */
et_input_write et_write_audio;    /* seconds of 16-bit mono sound as WAV */
et_input_write et_write_sql;      /* a table of that many thousand rows, joined with itself */
et_input_write et_write_lp;       /* a linear program of that many variables and rows */
et_input_write et_write_clauses;  /* a 3-SAT problem of that many variables */
et_input_write et_write_graph;    /* a graph of that many nodes for dot */
et_input_write et_write_circuit;  /* a ladder of that many diodes and capacitors for SPICE */
