/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "put/inputs.h"
#include "put/work.h"

enum { SEED = 1, BATCH = 4096 };

/* A source of random numbers, which are generated in batches. */
struct dice {
	int32_t values[BATCH];
	size_t next;
	uint64_t seed;
};

static unsigned roll(struct dice *d, unsigned below)
{
	if (d->next % BATCH == 0)
		et_random_ints(d->values, BATCH, SEED + d->seed++);
	return (unsigned)d->values[d->next++ % BATCH] % below;
}

/* Rolls n numbers in a defined order; C does not define that of the arguments of a call. */
static void roll_all(struct dice *d, unsigned *out, size_t n, unsigned below)
{
	for (size_t i = 0; i < n; i++)
		out[i] = roll(d, below);
}

/* Some letters are more frequent than others. */
void et_write_text(FILE *out, uint64_t kib)
{
	struct dice d = { 0 };
	uint64_t left = kib * 1024;

	while (left) {
		unsigned letters = 2 + roll(&d, 8);
		for (unsigned i = 0; i < letters && left; i++, left--)
			putc("etaoinshrdlu"[roll(&d, 1 + roll(&d, 12))], out);
		if (left) {
			putc(roll(&d, 12) ? ' ' : '\n', out);
			left--;
		}
	}
}

void et_write_c(FILE *out, uint64_t functions)
{
	struct dice d = { 0 };

	for (uint64_t i = 0; i < functions; i++) {
		unsigned k[6];
		roll_all(&d, k, ET_LENGTH(k), 64);
		fprintf(out,
			"int f%" PRIu64 "(int n, const int *a)\n{\n\tint s = %u;\n\n"
			"\tfor (int i = 0; i < n; i++) {\n"
			"\t\tif (a[i] %% %u == %u)\n\t\t\ts += a[i] * %u;\n"
			"\t\telse\n\t\t\ts ^= a[(i + %u) %% n] << %u;\n\t}\n\treturn s;\n}\n",
			i, k[0], 2 + k[1], k[2], k[3], k[4], k[5] % 8);
	}
}

void et_write_sieve(FILE *out, uint64_t size)
{
	(void)size;
	fputs("my $n = shift;\nmy $out = '';\nmy $count = 0;\n"
	      "for my $i (2 .. $n) {\n\tnext if vec($out, $i, 1);\n\t$count++;\n"
	      "\tfor (my $j = $i * $i; $j <= $n; $j += $i) { vec($out, $j, 1) = 1; }\n}\n"
	      "print \"$count\\n\";\n",
		out);
}

void et_write_proteins(FILE *out, uint64_t proteins)
{
	struct dice d = { 0 };

	for (uint64_t i = 0; i < proteins; i++) {
		fprintf(out, ">p%" PRIu64 "\n", i);
		for (int k = 0; k < 200; k++)
			putc("ACDEFGHIKLMNPQRSTVWY"[roll(&d, 20)], out);
		putc('\n', out);
	}
}

void et_write_scene(FILE *out, uint64_t size)
{
	struct dice d = { 0 };

	(void)size;
	fputs("camera { location <0, 4, -9> look_at 0 }\n"
	      "light_source { <10, 20, -20> rgb 1 }\n"
	      "plane { y, -1 pigment { checker rgb 1 rgb 0.2 } finish { reflection 0.3 } }\n",
		out);
	for (int i = 0; i < 25; i++) {
		unsigned k[4];
		roll_all(&d, k, ET_LENGTH(k), 100);
		fprintf(out,
			"sphere { <%d, %u/100, %d>, 0.8 pigment { rgb <%u/100, %u/100, %u/100> } "
			"finish { reflection 0.4 phong 1 } }\n",
			2 * (i % 5) - 4, k[0], 2 * (i / 5) - 4, k[1], k[2], k[3]);
	}
}

/* A frame in YUV 4:2:0: a pattern with noise, which moves from frame to frame. */
static void write_frame(struct dice *d, FILE *out, unsigned width, unsigned height, unsigned frame)
{
	for (unsigned y = 0; y < height; y++) {
		for (unsigned x = 0; x < width; x++)
			putc((int)(((x + 2 * frame) * (y + frame) / 16 + roll(d, 8)) & 0xff), out);
	}
	for (unsigned i = 0; i < 2 * ((width + 1) / 2) * ((height + 1) / 2); i++)
		putc((int)((i / 3 + frame) & 0xff), out);
}

void et_write_video(FILE *out, uint64_t frames)
{
	struct dice d = { 0 };

	for (unsigned f = 0; f < frames; f++)
		write_frame(&d, out, 176, 144, f);
}

void et_write_picture(FILE *out, uint64_t pixels)
{
	struct dice d = { 0 };

	write_frame(&d, out, (unsigned)pixels, (unsigned)pixels, 0);
}

static void put_le(FILE *out, uint32_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		putc((int)(value >> 8 * i & 0xff), out);
}

/*
 * Two triangle waves whose pitch rises, and noise. Only integers are used: a sine may differ in its
 * last bit from one C library to the next.
 */
void et_write_audio(FILE *out, uint64_t seconds)
{
	enum { RATE = 44100, HEADER = 36 };
	uint32_t samples = (uint32_t)seconds * RATE;
	struct dice d = { 0 };

	fputs("RIFF", out);
	put_le(out, HEADER + 2 * samples, 4);
	fputs("WAVEfmt ", out);
	put_le(out, 16, 4);
	put_le(out, 1, 2); /* PCM */
	put_le(out, 1, 2); /* mono */
	put_le(out, RATE, 4);
	put_le(out, 2 * RATE, 4);
	put_le(out, 2, 2);
	put_le(out, 16, 2);
	fputs("data", out);
	put_le(out, 2 * samples, 4);
	for (uint32_t i = 0, a = 0, b = 0; i < samples; i++) {
		a += 200 + i / 400 % 600;
		b += 331 + i / 700 % 900;
		int32_t wave = (int32_t)(a & 0xffff), other = (int32_t)(b & 0xffff);
		wave = (wave < 0x8000 ? wave : 0xffff - wave) - 0x4000;
		other = (other < 0x8000 ? other : 0xffff - other) - 0x4000;
		put_le(out, (uint32_t)(wave / 2 + other / 3 + (int32_t)roll(&d, 256)), 2);
	}
}

void et_write_bodies(FILE *out, uint64_t size)
{
	(void)size;
	fputs("local b = {}\n"
	      "for i = 1, 5 do\n"
	      "\tb[i] = { x = i, y = i * i % 7, z = i % 3, u = 0.1 * i, v = 0.2, w = -0.1 * i,\n"
	      "\t\tm = i == 1 and 40 or 0.01 * i }\n"
	      "end\n"
	      "for step = 1, tonumber(arg[1]) do\n"
	      "\tfor i = 1, 5 do\n"
	      "\t\tlocal p = b[i]\n"
	      "\t\tfor j = i + 1, 5 do\n"
	      "\t\t\tlocal q = b[j]\n"
	      "\t\t\tlocal x, y, z = p.x - q.x, p.y - q.y, p.z - q.z\n"
	      "\t\t\tlocal r = x * x + y * y + z * z + 0.01\n"
	      "\t\t\tlocal f = 0.001 / (r * math.sqrt(r))\n"
	      "\t\t\tp.u, p.v, p.w = p.u - x * q.m * f, p.v - y * q.m * f, p.w - z * q.m * f\n"
	      "\t\t\tq.u, q.v, q.w = q.u + x * p.m * f, q.v + y * p.m * f, q.w + z * p.m * f\n"
	      "\t\tend\n"
	      "\tend\n"
	      "\tfor i = 1, 5 do\n"
	      "\t\tlocal p = b[i]\n"
	      "\t\tp.x, p.y, p.z = p.x + 0.001 * p.u, p.y + 0.001 * p.v, p.z + 0.001 * p.w\n"
	      "\tend\n"
	      "end\n"
	      "print(b[1].x, b[5].z)\n",
		out);
}

void et_write_pi(FILE *out, uint64_t digits)
{
	fprintf(out, "scale = %" PRIu64 "\n4 * a(1)\nquit\n", digits);
}

void et_write_sql(FILE *out, uint64_t thousands)
{
	fprintf(out,
		"create table t(a integer, b integer, c text);\n"
		"with recursive n(i) as (select 1 union all select i + 1 from n where i < "
		"%" PRIu64 "000)\n"
		"insert into t select i, i * 7919 %% 1009, hex(i * 31 %% 6007) from n;\n"
		"create index t_b on t(b);\n"
		"select count(*), sum(t.a * u.a %% 97) from t join t u on t.b = u.b;\n"
		"select c, count(*), avg(a) from t group by c order by 2 desc, 1 limit 5;\n",
		thousands);
}

/* All coefficients are positive, so that the program has a finite optimum. */
void et_write_lp(FILE *out, uint64_t variables)
{
	struct dice d = { 0 };

	fputs("Maximize\n profit:", out);
	for (uint64_t i = 0; i < variables; i++)
		fprintf(out, " + %u x%" PRIu64 "%s", 1 + roll(&d, 99), i, i % 8 == 7 ? "\n" : "");
	fputs("\nSubject To\n", out);
	for (uint64_t k = 0; k < variables; k++) {
		fprintf(out, " r%" PRIu64 ":", k);
		for (uint64_t i = 0; i < variables; i++)
			fprintf(out, " + %u x%" PRIu64 "%s", 1 + roll(&d, 99), i,
				i % 8 == 7 ? "\n" : "");
		fprintf(out, " <= %u\n", 10000 + roll(&d, 1000));
	}
	fputs("End\n", out);
}

/* 4.26 clauses per variable are the hardest problems; half of them have a solution. */
void et_write_clauses(FILE *out, uint64_t variables)
{
	uint64_t clauses = variables * 426 / 100;
	struct dice d = { 0 };

	fprintf(out, "p cnf %" PRIu64 " %" PRIu64 "\n", variables, clauses);
	for (uint64_t i = 0; i < clauses; i++) {
		for (int k = 0; k < 3; k++) {
			unsigned variable = 1 + roll(&d, (unsigned)variables);
			fprintf(out, "%s%u ", roll(&d, 2) ? "-" : "", variable);
		}
		fputs("0\n", out);
	}
}

void et_write_graph(FILE *out, uint64_t nodes)
{
	struct dice d = { 0 };

	fputs("digraph g {\n", out);
	for (unsigned i = 1; i < nodes; i++) {
		fprintf(out, "n%u -> n%u;\n", roll(&d, i), i);
		if (i % 3 == 0)
			fprintf(out, "n%u -> n%u;\n", roll(&d, i), i);
	}
	fputs("}\n", out);
}

void et_write_circuit(FILE *out, uint64_t stages)
{
	fputs("a ladder of diodes\n"
	      "v1 n0 0 sin(0 5 1k)\n"
	      ".model d1 d(is=1e-14 cjo=2p)\n",
		out);
	for (uint64_t i = 0; i < stages; i++)
		fprintf(out,
			"r%" PRIu64 " n%" PRIu64 " n%" PRIu64 " 100\n"
			"c%" PRIu64 " n%" PRIu64 " 0 1n\n"
			"d%" PRIu64 " n%" PRIu64 " 0 d1\n",
			i, i, i + 1, i, i + 1, i, i + 1);
	fputs(".tran 2u 4m\n.print tran v(n1)\n.end\n", out);
}
