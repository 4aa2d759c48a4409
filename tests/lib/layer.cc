// SPDX-License-Identifier: GPL-3.0-or-later
// Every way to make a benchmark with etalon.hpp; the test lists, compiles and runs them.
#include <etalon/etalon.hpp>

#include <map>
#include <string>

static void construct(etalon::state &state)
{
	for (auto _ : state) {
		std::string s(static_cast<std::size_t>(state.param(0)), 'x');
		etalon::keep(s);
	}
	state.bytes(static_cast<double>(state.param(0)));
}
ETALON_BENCHMARK(construct)->range(8, 512)->complexity();

template <int A, int B> static void product(etalon::state &state)
{
	for (auto _ : state) {
		int x = A;
		etalon::hide(x);
		x *= B;
		etalon::keep(x);
	}
	state.items(1);
	state.counter("product", A * B);
}
ETALON_BENCHMARK(product<2, 3>);

static int start = 3;
ETALON_BENCHMARK([](etalon::state &state) {
	std::map<int, int> m;
	for (auto _ : state)
		m[start]++, etalon::clobber();
})->name("lambda, with a comma");

static void plain()
{
	int x = start;
	etalon::keep(x);
}
ETALON_BENCHMARK(plain);

template <class A, class B> struct typed : etalon::fixture {
	void set_up(etalon::state &) override
	{
		both.first = 3;
	}
	std::pair<A, B> both;
};
ETALON_FIXTURE_AS((typed<int, char>), "typed<int, char>/first", typed_first, ->arg(5))
{
	if (both.first != 3 || state.param(0) != 5)
		state.fail("set_up was not called");
	for (auto _ : state)
		etalon::keep(both);
}

struct counting : etalon::fixture {
	int n = 4;
};
ETALON_FIXTURE(counting, up)
{
	for (auto _ : state) {
		etalon::hide(n);
		n++;
	}
}

ETALON_FIXTURE_WITH(counting, down, ->args({ 1, 2 }))
{
	for (auto _ : state) {
		etalon::hide(n);
		n -= static_cast<int>(state.param(1));
	}
}

int main(int argc, char **argv)
{
	int captured = start;

	etalon::add("captured", [captured](etalon::state &state) {
		int x = captured;
		for (auto _ : state)
			etalon::hide(x);
	})->args({ 1, 2 })->args({ 3, 4 })->names({ "a", "b" });
	return etalon::run_all(argc, argv);
}
