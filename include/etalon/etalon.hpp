// SPDX-License-Identifier: MIT
//
// The C++ layer of libetalon: header only, C++11 to C++20. Link with -letalon. The manual is
// etalon(3), section C++.
//
//	static void append(etalon::state &state)
//	{
//		for (auto _ : state) {
//			std::string s(static_cast<size_t>(state.param(0)), 'x');
//			etalon::keep(s);
//		}
//	}
//	ETALON_BENCHMARK(append)->range(8, 8 << 10);
//	ETALON_BENCHMARK_MAIN()
#ifndef ETALON_ETALON_HPP
#define ETALON_ETALON_HPP

#include <etalon/etalon.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef __GNUC__
#define ETALON_INLINE inline __attribute__((always_inline))
#define ETALON_UNUSED __attribute__((unused))
#else
#define ETALON_INLINE inline
#define ETALON_UNUSED
#endif

namespace etalon
{

// The compiler must compute the value although nothing uses it.
template <class T> ETALON_INLINE void keep(const T &value)
{
	ETALON_KEEP(value);
}

// The compiler must compute the value, and assume that it is another one from here on. Use it for
// inputs, so that the result cannot be computed while compiling.
template <class T> ETALON_INLINE void hide(T &value)
{
	ETALON_HIDE(value);
}

// The compiler must assume that all memory is read and written here.
ETALON_INLINE void clobber()
{
	ETALON_CLOBBER();
}

// The loop of a benchmark, and what its function may ask or tell. `for (auto _ : state)` is the
// timed loop.
class state
{
      public:
	struct ETALON_UNUSED value {
	};

	class iterator
	{
	      public:
		explicit iterator(etalon_state *s) : state_(s), left_(s ? etalon_loop_first(s) : 0)
		{
		}
		ETALON_INLINE value operator*() const
		{
			return value();
		}
		ETALON_INLINE iterator &operator++()
		{
			--left_;
			return *this;
		}
		ETALON_INLINE bool operator!=(const iterator &)
		{
			if (left_ != 0)
				return true;
			left_ = etalon_loop_next(state_);
			return left_ != 0;
		}

	      private:
		etalon_state *state_;
		uint64_t left_;
	};

	explicit state(etalon_state *s) : s_(s)
	{
	}
	iterator begin()
	{
		return iterator(s_);
	}
	iterator end()
	{
		return iterator(nullptr);
	}

	int64_t param(std::size_t i = 0) const
	{
		return etalon_param(s_, i);
	}
	uint64_t iterations() const
	{
		return etalon_iterations(s_);
	}
	unsigned thread() const
	{
		return etalon_thread(s_);
	}
	unsigned threads() const
	{
		return etalon_threads(s_);
	}
	void pause()
	{
		etalon_pause(s_);
	}
	void resume()
	{
		etalon_resume(s_);
	}
	void time_ns(double ns)
	{
		etalon_set_time(s_, ns);
	}
	void items(double per_iteration)
	{
		etalon_set_items(s_, per_iteration);
	}
	void bytes(double per_iteration)
	{
		etalon_set_bytes(s_, per_iteration);
	}
	void size(double n)
	{
		etalon_set_size(s_, n);
	}
	void label(const std::string &text)
	{
		etalon_set_label(s_, text.c_str());
	}
	void counter(const std::string &name, double value, unsigned kind = ETALON_COUNTER_PLAIN)
	{
		etalon_set_counter(s_, name.c_str(), value, kind);
	}
	std::string name() const
	{
		return etalon_name(s_);
	}
	void fail(const std::string &why)
	{
		etalon_fail(s_, why.c_str());
	}
	void skip(const std::string &why)
	{
		etalon_skip(s_, why.c_str());
	}
	void batch(uint64_t calls)
	{
		etalon_set_batch(s_, calls);
	}
	etalon_state *c_state() const
	{
		return s_;
	}

      private:
	etalon_state *s_;
};

// A benchmark that will run. The members that return a pointer can be chained.
class benchmark
{
      public:
	typedef std::function<void(state &)> function;

	benchmark(std::string name, function body) : name_(std::move(name)), body_(std::move(body))
	{
	}

	benchmark *name(const std::string &text)
	{
		name_ = text;
		return this;
	}
	// One more case, with these parameters.
	benchmark *args(const std::vector<int64_t> &row)
	{
		cases_.push_back(row);
		return this;
	}
	benchmark *arg(int64_t value)
	{
		return args(std::vector<int64_t>(1, value));
	}
	// from, then the powers of `factor` between, then to: one case each.
	benchmark *range(int64_t from, int64_t to, int64_t factor = 8)
	{
		return product(std::vector<std::vector<int64_t>>(1, powers(from, to, factor)));
	}
	benchmark *steps(int64_t from, int64_t to, int64_t step = 1)
	{
		for (int64_t x = from; step > 0 && x <= to; x += step)
			arg(x);
		return this;
	}
	// All combinations of one value of each list.
	benchmark *product(const std::vector<std::vector<int64_t>> &lists)
	{
		std::vector<std::vector<int64_t>> rows(1);

		for (std::size_t i = 0; i < lists.size(); i++) {
			std::vector<std::vector<int64_t>> longer;
			for (std::size_t r = 0; r < rows.size(); r++)
				for (std::size_t v = 0; v < lists[i].size(); v++) {
					longer.push_back(rows[r]);
					longer.back().push_back(lists[i][v]);
				}
			rows.swap(longer);
		}
		cases_.insert(cases_.end(), rows.begin(), rows.end());
		return this;
	}
	// Names of the parameters, for the names of the cases: "sort/n:1024".
	benchmark *names(const std::vector<std::string> &list)
	{
		names_ = list;
		return this;
	}
	benchmark *threads(unsigned n)
	{
		threads_.push_back(n);
		return this;
	}
	// Fits how the time grows with the size: state::size(), or the first parameter.
	benchmark *complexity(etalon_growth model = ETALON_GROWTH_BEST)
	{
		flags_ |= ETALON_BENCH_COMPLEXITY;
		growth_ = model;
		return this;
	}
	// Calls differ by intent (amortised costs): the answer is the mean.
	benchmark *calls_differ()
	{
		flags_ |= ETALON_BENCH_CALLS_DIFFER;
		return this;
	}
	benchmark *calls(uint32_t per_sample)
	{
		calls_ = per_sample;
		return this;
	}
	benchmark *flags(unsigned bits)
	{
		flags_ |= bits;
		return this;
	}
	benchmark *setup(function f)
	{
		setup_ = std::move(f);
		return this;
	}
	benchmark *teardown(function f)
	{
		teardown_ = std::move(f);
		return this;
	}

	// The values that range() uses.
	static std::vector<int64_t> powers(int64_t from, int64_t to, int64_t factor)
	{
		std::vector<int64_t> list(1, from);

		if (factor < 2)
			factor = 2;
		for (int64_t x = 1; from < to; x *= factor) {
			if (x > from && x < to)
				list.push_back(x);
			if (x > to / factor)
				break;
		}
		if (to > from)
			list.push_back(to);
		return list;
	}

	// Hands the benchmark to the library. Rows of unequal length are filled up with zeros.
	int enlist()
	{
		std::size_t width = 0;
		for (std::size_t i = 0; i < cases_.size(); i++)
			width = cases_[i].size() > width ? cases_[i].size() : width;
		flat_.clear();
		for (std::size_t i = 0; i < cases_.size(); i++) {
			flat_.insert(flat_.end(), cases_[i].begin(), cases_[i].end());
			flat_.resize((i + 1) * width);
		}
		etalon_bench b = etalon_bench();
		b.sz = sizeof(b);
		b.name = name_.c_str();
		b.arg = this;
		b.body = run_body;
		b.setup_state = setup_ ? run_setup : nullptr;
		b.teardown_state = teardown_ ? run_teardown : nullptr;
		b.cases = width ? flat_.data() : nullptr;
		b.n_cases = width ? cases_.size() : 0;
		b.n_params = width;
		names_.resize(width);
		name_list_.clear();
		for (std::size_t i = 0; i < width; i++)
			name_list_.push_back(names_[i].empty() ? nullptr : names_[i].c_str());
		b.param_names = width ? name_list_.data() : nullptr;
		b.threads = threads_.empty() ? nullptr : threads_.data();
		b.n_threads = threads_.size();
		b.calls = calls_;
		b.flags = flags_;
		b.growth = growth_;
		return etalon_register(&b);
	}

      private:
	static benchmark *self(etalon_state *s)
	{
		return static_cast<benchmark *>(etalon_arg(s));
	}
	static void run(const function &f, etalon_state *s)
	{
		state st(s);
		f(st);
	}
	static void run_body(etalon_state *s)
	{
		run(self(s)->body_, s);
	}
	static void run_setup(etalon_state *s)
	{
		run(self(s)->setup_, s);
	}
	static void run_teardown(etalon_state *s)
	{
		run(self(s)->teardown_, s);
	}

	std::string name_;
	function body_, setup_, teardown_;
	std::vector<std::vector<int64_t>> cases_;
	std::vector<int64_t> flat_;
	std::vector<std::string> names_;
	std::vector<const char *> name_list_;
	std::vector<unsigned> threads_;
	uint32_t calls_ = 0;
	unsigned flags_ = 0;
	int growth_ = ETALON_GROWTH_BEST;
};

namespace detail
{
inline std::vector<std::unique_ptr<benchmark>> &list()
{
	static std::vector<std::unique_ptr<benchmark>> all;
	return all;
}

inline std::string name_of(const char *text, int line)
{
	return *text == '[' ? "lambda in line " + std::to_string(line) : std::string(text);
}

// The type in `void(type)`, so that a macro's argument may be in parentheses.
template <class T> struct unwrap;
template <class T> struct unwrap<void(T)> {
	typedef T t;
};

template <class F> struct takes_state {
	template <class G>
	static auto test(int)
		-> decltype(std::declval<G &>()(std::declval<state &>()), std::true_type());
	template <class> static std::false_type test(...);
	typedef decltype(test<F>(0)) type;
};

template <class F> benchmark::function body_of(F f, std::true_type)
{
	return f;
}

// A callable without parameter is timed as a whole.
template <class F> benchmark::function body_of(F f, std::false_type)
{
	return [f](state &s) mutable {
		for (auto _ : s) {
			(void)_;
			f();
		}
	};
}
} // namespace detail

// Adds a benchmark: a function or lambda, with captures if need be, that takes an etalon::state &
// and contains the loop, or takes nothing and is timed as a whole.
template <class F> benchmark *add(const std::string &name, F f)
{
	detail::list().emplace_back(
		new benchmark(name, detail::body_of(f, typename detail::takes_state<F>::type())));
	return detail::list().back().get();
}

// An object that is made anew for each process: derive from it, and use ETALON_FIXTURE.
class fixture
{
      public:
	virtual ~fixture()
	{
	}
	virtual void set_up(state &)
	{
	}
	virtual void tear_down(state &)
	{
	}
	virtual void run(state &)
	{
	}
};

template <class F> benchmark *add_fixture(const std::string &name)
{
	return add(name, [](state &s) {
		F f;
		f.set_up(s);
		f.run(s);
		f.tear_down(s);
	});
}

// Runs all benchmarks as etalon_bench_main does, and returns its exit status.
inline int run_all(int argc, char **argv)
{
	std::vector<std::unique_ptr<benchmark>> &all = detail::list();

	for (std::size_t i = 0; i < all.size(); i++)
		if (all[i]->enlist() != ETALON_OK)
			return 2;
	ETALON_BUILD();
	return etalon_bench_main(argc, argv, nullptr, 0);
}

} // namespace etalon

#define ETALON_JOIN_(a, b) a##b
#define ETALON_JOIN(a, b) ETALON_JOIN_(a, b)
#define ETALON_UNIQUE(prefix) ETALON_JOIN(prefix, __COUNTER__)

// ETALON_BENCHMARK(function); template arguments may contain commas. A lambda is named by its line.
#define ETALON_BENCHMARK(...)                                                                      \
	static ::etalon::benchmark *ETALON_UNIQUE(etalon_benchmark_) ETALON_UNUSED =               \
		::etalon::add(::etalon::detail::name_of(#__VA_ARGS__, __LINE__), __VA_ARGS__)

// ETALON_FIXTURE(type, name) { for (auto _ : state) … } where type derives from etalon::fixture.
#define ETALON_FIXTURE(type, name) ETALON_FIXTURE_WITH(type, name, )
// The same with parameters or threads: ETALON_FIXTURE_WITH(type, name, ->range(8, 512)) { … }
#define ETALON_FIXTURE_WITH(type, name, ...)                                                       \
	ETALON_FIXTURE_AS((type), #type "/" #name, etalon_##type##_##name, __VA_ARGS__)
// The same for a type with template arguments:
// ETALON_FIXTURE_AS((pair<int, char>), "name", identifier, ->range(8, 512)) { … }
#define ETALON_FIXTURE_AS(type, text, id, ...)                                                     \
	class id : public ::etalon::detail::unwrap<void type>::t                                   \
	{                                                                                          \
	      public:                                                                              \
		void run(::etalon::state &state) override;                                         \
	};                                                                                         \
	static ::etalon::benchmark *id##_benchmark ETALON_UNUSED =                                 \
		::etalon::add_fixture<id>(text) __VA_ARGS__;                                       \
	void id::run(::etalon::state &state)

#define ETALON_BENCHMARK_MAIN()                                                                    \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		return ::etalon::run_all(argc, argv);                                              \
	}

#endif
