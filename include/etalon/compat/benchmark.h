// SPDX-License-Identifier: MIT
//
// Google Benchmark's names on top of libetalon: a file of benchmarks that uses the common subset
// compiles unchanged (pkg-config etalon-compat). Differences are listed in etalon(3), section
// GOOGLE BENCHMARK. C++11 to C++20.
#ifndef ETALON_COMPAT_BENCHMARK_H
#define ETALON_COMPAT_BENCHMARK_H

#include <etalon/etalon.hpp>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <thread>

#ifdef __GNUC__
#define BENCHMARK_UNUSED __attribute__((unused))
#define BENCHMARK_ALWAYS_INLINE __attribute__((always_inline))
#define BENCHMARK_NOEXCEPT noexcept
#define BENCHMARK_BUILTIN_EXPECT(x, y) __builtin_expect(x, y)
#define BENCHMARK_DEPRECATED_MSG(msg) __attribute__((deprecated(msg)))
#define BENCHMARK_DISABLE_DEPRECATED_WARNING                                                       \
	_Pragma("GCC diagnostic push")                                                             \
		_Pragma("GCC diagnostic ignored \"-Wdeprecated-declarations\"")
#define BENCHMARK_RESTORE_DEPRECATED_WARNING _Pragma("GCC diagnostic pop")
#else
#define BENCHMARK_DISABLE_DEPRECATED_WARNING
#define BENCHMARK_RESTORE_DEPRECATED_WARNING
#define BENCHMARK_UNUSED
#define BENCHMARK_ALWAYS_INLINE
#define BENCHMARK_NOEXCEPT noexcept
#define BENCHMARK_BUILTIN_EXPECT(x, y) x
#define BENCHMARK_DEPRECATED_MSG(msg)
#endif

namespace benchmark
{

typedef int64_t IterationCount;
typedef int64_t ComplexityN;

enum TimeUnit { kNanosecond, kMicrosecond, kMillisecond, kSecond };
enum BigO { oNone, o1, oN, oNSquared, oNCubed, oLogN, oNLogN, oAuto, oLambda };
typedef double(BigOFunc)(IterationCount);
typedef double(StatisticsFunc)(const std::vector<double> &);
enum StatisticUnit { kTime, kPercentage };

template <class T> BENCHMARK_ALWAYS_INLINE inline void DoNotOptimize(const T &value)
{
	::etalon::keep(value);
}

template <class T> BENCHMARK_ALWAYS_INLINE inline void DoNotOptimize(T &value)
{
	::etalon::hide(value);
}

#if __cplusplus >= 201103L
template <class T>
BENCHMARK_ALWAYS_INLINE inline typename std::enable_if<!std::is_lvalue_reference<T>::value>::type
DoNotOptimize(T &&value)
{
	::etalon::hide(value);
}
#endif

BENCHMARK_ALWAYS_INLINE inline void ClobberMemory()
{
	::etalon::clobber();
}

class Counter
{
      public:
	enum Flags {
		kDefaults = 0,
		kIsRate = 1 << 0,
		kAvgThreads = 1 << 1,
		kAvgThreadsRate = kIsRate | kAvgThreads,
		kIsIterationInvariant = 1 << 2,
		kIsIterationInvariantRate = kIsRate | kIsIterationInvariant,
		kAvgIterations = 1 << 3,
		kAvgIterationsRate = kIsRate | kAvgIterations,
		kInvert = 1 << 30
	};
	enum OneK { kIs1000 = 1000, kIs1024 = 1024 };

	// Google's own are not explicit either: state.counters["x"] = 3;
	Counter(double v = 0., Flags f = kDefaults, OneK k = kIs1000) : value(v), flags(f), oneK(k)
	{
	}
	operator const double &() const
	{
		return value;
	}
	operator double &()
	{
		return value;
	}

	double value;
	Flags flags;
	OneK oneK;
};

inline Counter::Flags operator|(Counter::Flags a, Counter::Flags b)
{
	return static_cast<Counter::Flags>(static_cast<int>(a) | static_cast<int>(b));
}

typedef std::map<std::string, Counter> UserCounters;

class State
{
      public:
	struct BENCHMARK_UNUSED Value {
	};

	class StateIterator
	{
	      public:
		typedef std::forward_iterator_tag iterator_category;
		typedef Value value_type;
		typedef Value reference;
		typedef Value pointer;
		typedef std::ptrdiff_t difference_type;

		explicit StateIterator(State *s) : state_(s), left_(s ? s->first() : 0)
		{
		}
		BENCHMARK_ALWAYS_INLINE Value operator*() const
		{
			return Value();
		}
		BENCHMARK_ALWAYS_INLINE StateIterator &operator++()
		{
			--left_;
			return *this;
		}
		BENCHMARK_ALWAYS_INLINE bool operator!=(const StateIterator &)
		{
			if (BENCHMARK_BUILTIN_EXPECT(left_ != 0, true))
				return true;
			left_ = etalon_loop_next(state_->s_);
			return left_ != 0;
		}

	      private:
		State *state_;
		uint64_t left_;
	};

	explicit State(etalon_state *s)
	    : s_(s), left_(0), begun_(false), failed_(false), skipped_(false), bytes_(0), items_(0),
	      n_(0), batch_(0)
	{
	}
	State(const State &) = delete;
	State &operator=(const State &) = delete;

	StateIterator begin()
	{
		return StateIterator(this);
	}
	StateIterator end()
	{
		return StateIterator(nullptr);
	}

	BENCHMARK_ALWAYS_INLINE bool KeepRunning()
	{
		if (BENCHMARK_BUILTIN_EXPECT(left_ > 1, true)) {
			--left_;
			return true;
		}
		left_ = begun_ ? etalon_loop_next(s_) : first();
		return left_ != 0;
	}

	// Each batch is a turn of libetalon's loop; all figures are per iteration.
	bool KeepRunningBatch(IterationCount n)
	{
		if (!begun_ && n > 0) {
			batch_ = n;
			etalon_set_batch(s_, static_cast<uint64_t>(n));
		}
		if (n != batch_)
			SkipWithError("KeepRunningBatch: the number of iterations must be positive "
				      "and the same in all calls");
		return KeepRunning();
	}

	void PauseTiming()
	{
		etalon_pause(s_);
	}
	void ResumeTiming()
	{
		etalon_resume(s_);
	}
	void SetIterationTime(double seconds)
	{
		etalon_set_time(s_, seconds * 1e9);
	}
	void SkipWithError(const char *why)
	{
		failed_ = skipped_ = true;
		left_ = 0;
		etalon_fail(s_, why);
	}
	void SkipWithError(const std::string &why)
	{
		SkipWithError(why.c_str());
	}
	// Not a failure: the message is shown instead of a time.
	void SkipWithMessage(const std::string &why)
	{
		skipped_ = true;
		left_ = 0;
		etalon_skip(s_, why.c_str());
	}
	bool error_occurred() const
	{
		return failed_;
	}
	bool skipped() const
	{
		return skipped_;
	}

	void SetBytesProcessed(int64_t bytes)
	{
		bytes_ = bytes;
	}
	int64_t bytes_processed() const
	{
		return bytes_;
	}
	void SetItemsProcessed(int64_t items)
	{
		items_ = items;
	}
	int64_t items_processed() const
	{
		return items_;
	}
	void SetComplexityN(ComplexityN n)
	{
		n_ = n;
		etalon_set_size(s_, static_cast<double>(n));
	}
	ComplexityN complexity_length_n() const
	{
		return n_;
	}
	void SetLabel(const std::string &label)
	{
		etalon_set_label(s_, label.c_str());
	}

	int64_t range(std::size_t i = 0) const
	{
		return etalon_param(s_, i);
	}
	int64_t range_x() const
	{
		return range(0);
	}
	int64_t range_y() const
	{
		return range(1);
	}
	IterationCount iterations() const
	{
		return static_cast<IterationCount>(etalon_iterations(s_));
	}
	int threads() const
	{
		return static_cast<int>(etalon_threads(s_));
	}
	int thread_index() const
	{
		return static_cast<int>(etalon_thread(s_));
	}
	std::string name() const
	{
		return etalon_name(s_);
	}

	UserCounters counters;

	// Hands totals and counters to the library after the function has returned.
	void Finish()
	{
		double turns = static_cast<double>(etalon_iterations(s_));

		if (turns > 0 && bytes_ > 0)
			etalon_set_bytes(s_, static_cast<double>(bytes_) / turns);
		if (turns > 0 && items_ > 0)
			etalon_set_items(s_, static_cast<double>(items_) / turns);
		for (UserCounters::const_iterator c = counters.begin(); c != counters.end(); ++c)
			etalon_set_counter(s_, c->first.c_str(), c->second.value, kind(c->second));
	}

      private:
	static unsigned kind(const Counter &c)
	{
		static const struct {
			Counter::Flags theirs;
			unsigned ours;
		} table[] = { { Counter::kIsRate, ETALON_COUNTER_RATE },
			{ Counter::kAvgThreads, ETALON_COUNTER_PER_THREAD },
			{ Counter::kIsIterationInvariant, ETALON_COUNTER_TIMES_ITERATIONS },
			{ Counter::kAvgIterations, ETALON_COUNTER_PER_ITERATION },
			{ Counter::kInvert, ETALON_COUNTER_INVERT } };
		unsigned k = ETALON_COUNTER_PLAIN;

		for (std::size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
			if (c.flags & table[i].theirs)
				k |= table[i].ours;
		return k;
	}
	uint64_t first()
	{
		begun_ = true;
		return etalon_loop_first(s_); // 0 if it is skipped; threads meet all the same
	}

	etalon_state *s_;
	uint64_t left_; // iterations of KeepRunning in this sample, with the current one
	bool begun_, failed_, skipped_;
	int64_t bytes_, items_;
	ComplexityN n_;
	IterationCount batch_; // of KeepRunningBatch
};

namespace internal
{

typedef void(Function)(State &);

class Benchmark
{
      public:
	explicit Benchmark(const std::string &name) : b_(nullptr), multiplier_(8), name_(name)
	{
	}
	virtual ~Benchmark()
	{
	}
	virtual void Run(State &state) = 0;

	// Called once, when the benchmark becomes part of the program.
	void Enlist()
	{
		b_ = ::etalon::add(name_, [this](::etalon::state &s) { Call(s); });
		b_->flags(ETALON_BENCH_SAME_NAME);
	}

	const char *GetName() const
	{
		return name_.c_str();
	}
	Benchmark *Name(const std::string &text)
	{
		name_ = text;
		b_->name(text);
		return this;
	}
	Benchmark *Arg(int64_t x)
	{
		b_->arg(x);
		return this;
	}
	Benchmark *Args(const std::vector<int64_t> &row)
	{
		b_->args(row);
		return this;
	}
	Benchmark *ArgPair(int64_t x, int64_t y)
	{
		return Args({ x, y });
	}
	Benchmark *ArgName(const std::string &name)
	{
		b_->names(std::vector<std::string>(1, name));
		return this;
	}
	Benchmark *ArgNames(const std::vector<std::string> &names)
	{
		b_->names(names);
		return this;
	}
	Benchmark *Range(int64_t from, int64_t to)
	{
		b_->range(from, to, multiplier_);
		return this;
	}
	Benchmark *DenseRange(int64_t from, int64_t to, int step = 1)
	{
		b_->steps(from, to, step);
		return this;
	}
	Benchmark *Ranges(const std::vector<std::pair<int64_t, int64_t>> &ranges)
	{
		std::vector<std::vector<int64_t>> lists;

		for (std::size_t i = 0; i < ranges.size(); i++)
			lists.push_back(::etalon::benchmark::powers(
				ranges[i].first, ranges[i].second, multiplier_));
		b_->product(lists);
		return this;
	}
	Benchmark *RangePair(int64_t from1, int64_t to1, int64_t from2, int64_t to2)
	{
		return Ranges({ { from1, to1 }, { from2, to2 } });
	}
	Benchmark *ArgsProduct(const std::vector<std::vector<int64_t>> &lists)
	{
		b_->product(lists);
		return this;
	}
	Benchmark *RangeMultiplier(int multiplier)
	{
		multiplier_ = multiplier;
		return this;
	}
	Benchmark *Threads(int n)
	{
		b_->threads(static_cast<unsigned>(n));
		return this;
	}
	Benchmark *ThreadRange(int from, int to)
	{
		std::vector<int64_t> list = ::etalon::benchmark::powers(from, to, 2);

		for (std::size_t i = 0; i < list.size(); i++)
			Threads(static_cast<int>(list[i]));
		return this;
	}
	Benchmark *DenseThreadRange(int from, int to, int stride = 1)
	{
		for (int n = from; stride > 0 && n <= to; n += stride)
			Threads(n);
		return this;
	}
	Benchmark *ThreadPerCpu()
	{
		unsigned n = std::thread::hardware_concurrency();
		return Threads(n ? static_cast<int>(n) : 1);
	}
	Benchmark *Complexity(BigO model = oAuto)
	{
		static const etalon_growth models[] = { ETALON_GROWTH_BEST, ETALON_GROWTH_CONSTANT,
			ETALON_GROWTH_N, ETALON_GROWTH_N_SQUARED, ETALON_GROWTH_N_CUBED,
			ETALON_GROWTH_LOG_N, ETALON_GROWTH_N_LOG_N, ETALON_GROWTH_BEST,
			ETALON_GROWTH_BEST };

		if (model != oNone)
			b_->complexity(models[model]);
		return this;
	}
	// A function of one's own is not fitted: the best of libetalon's models is.
	Benchmark *Complexity(BigOFunc *)
	{
		b_->complexity();
		return this;
	}
	Benchmark *Apply(void (*f)(Benchmark *))
	{
		f(this);
		return this;
	}
	template <class F> Benchmark *Apply(const F &f)
	{
		f(this);
		return this;
	}
	// A sample is this number of iterations; the number of samples stays libetalon's choice.
	Benchmark *Iterations(IterationCount n)
	{
		b_->calls(n > 0 && n < std::numeric_limits<int32_t>::max()
				  ? static_cast<uint32_t>(n)
				  : 0);
		return this;
	}
	Benchmark *UseManualTime()
	{
		b_->flags(ETALON_BENCH_MANUAL_TIME);
		return Name(name_ + "/manual_time");
	}
	Benchmark *UseRealTime()
	{
		b_->flags(ETALON_BENCH_WALL);
		return Name(name_ + "/real_time");
	}
	template <class F> Benchmark *Setup(F f)
	{
		b_->setup([f](::etalon::state &s) {
			State st(s.c_state());
			f(st);
		});
		return this;
	}
	template <class F> Benchmark *Teardown(F f)
	{
		b_->teardown([f](::etalon::state &s) {
			State st(s.c_state());
			f(st);
		});
		return this;
	}

	// These have no counterpart: libetalon chooses units, times and repetitions itself.
	Benchmark *Unit(TimeUnit)
	{
		return this;
	}
	Benchmark *MinTime(double)
	{
		return this;
	}
	Benchmark *MinWarmUpTime(double)
	{
		return this;
	}
	Benchmark *Repetitions(int)
	{
		return this;
	}
	Benchmark *ReportAggregatesOnly(bool = true)
	{
		return this;
	}
	Benchmark *DisplayAggregatesOnly(bool = true)
	{
		return this;
	}
	Benchmark *MeasureProcessCPUTime()
	{
		return Name(name_ + "/process_time");
	}
	template <class F>
	Benchmark *ComputeStatistics(const std::string &, F, StatisticUnit = kTime)
	{
		return this;
	}

      private:
	void Call(::etalon::state &s)
	{
		State st(s.c_state());
		Run(st);
		st.Finish();
	}

	::etalon::benchmark *b_;
	int multiplier_;
	std::string name_;
};

class FunctionBenchmark : public Benchmark
{
      public:
	FunctionBenchmark(const std::string &name, std::function<void(State &)> f)
	    : Benchmark(name), f_(std::move(f))
	{
	}
	void Run(State &state) override
	{
		f_(state);
	}

      private:
	std::function<void(State &)> f_;
};

inline Benchmark *RegisterBenchmarkInternal(Benchmark *b)
{
	static std::vector<std::unique_ptr<Benchmark>> owned;

	owned.emplace_back(b);
	b->Enlist();
	return b;
}

inline Benchmark *RegisterFunction(const std::string &name, std::function<void(State &)> f)
{
	return RegisterBenchmarkInternal(new FunctionBenchmark(name, std::move(f)));
}

struct Arguments {
	std::vector<std::string> words;
	std::string out; // of --benchmark_out
	bool out_is_csv;
	int status;
};

inline Arguments &GetArguments()
{
	static Arguments a;
	return a;
}

inline const char *after(const char *word, const char *option)
{
	std::size_t n = std::strlen(option);
	return std::strncmp(word, option, n) == 0 ? word + n : nullptr;
}

// Options are read once, not in every process.
inline bool IsWorker()
{
	return std::getenv("ETALON_WORKER") != nullptr;
}

// A number of seconds, with or without "s", or of iterations: "0.5", "0.5s", "100x".
inline std::string MinTime(const char *word, const char *value)
{
	char *end = nullptr;
	double x = std::strtod(value, &end);

	if (end != value && std::strcmp(end, "x") == 0 && x >= 1 && x <= 4294967295.0)
		return "--calls=" + std::to_string(static_cast<uint64_t>(x));
	// Google's library takes 0 for as short as possible.
	if (end != value && (!*end || std::strcmp(end, "s") == 0) && x >= 0 && x < 1e6)
		return std::string("--case-time=") +
		       (x > 0.001 ? std::string(value, static_cast<const char *>(end)) + "s"
				  : std::string("1ms"));
	if (!IsWorker())
		std::fprintf(stderr,
			"%s: use a number of seconds or of iterations: 0.5, 0.5s or 100x\n", word);
	std::exit(2);
}

// Whether an output format is the wanted one; ends the program if there is no such format.
inline bool FormatIs(const char *word, const char *value, const char *wanted)
{
	if (std::strcmp(value, "console") != 0 && std::strcmp(value, "json") != 0 &&
		std::strcmp(value, "csv") != 0) {
		if (!IsWorker())
			std::fprintf(stderr, "%s: use console, json or csv\n", word);
		std::exit(2);
	}
	return std::strcmp(value, wanted) == 0;
}

// Options that are translated word by word; false: another option.
inline bool TranslatePlain(const char *word, std::vector<std::string> &out)
{
	const char *value = after(word, "--benchmark_filter=");

	if (value) {
		if (*value && std::strcmp(value, "all") != 0)
			out.push_back("--filter=" + std::string(value));
		return true;
	}
	value = after(word, "--benchmark_repetitions=");
	if (value) {
		out.push_back("--repetitions=" + std::string(value));
		return true;
	}
	value = after(word, "--benchmark_min_time=");
	if (value) {
		out.push_back(MinTime(word, value));
		return true;
	}
	value = after(word, "--benchmark_list_tests");
	if (value && std::strcmp(value, "=false") != 0)
		out.push_back("--list");
	return value != nullptr;
}

// Google's options in libetalon's words; false: not an option of Google's.
inline bool Translate(const char *word, Arguments &a)
{
	const char *value;

	if (TranslatePlain(word, a.words))
		return true;
	if ((value = after(word, "--benchmark_out_format="))) {
		a.out_is_csv = FormatIs(word, value, "csv");
		return true;
	}
	if ((value = after(word, "--benchmark_out="))) {
		a.out = value;
		return true;
	}
	if ((value = after(word, "--benchmark_format="))) {
		if (FormatIs(word, value, "json"))
			a.words.push_back("--google-json=-");
		else if (FormatIs(word, value, "csv"))
			a.words.push_back("--google-csv=-");
		return true;
	}
	if (after(word, "--benchmark_")) {
		if (!IsWorker())
			std::fprintf(stderr, "warning: %s has no meaning for libetalon: ignored\n",
				word);
		return true;
	}
	return false;
}

} // namespace internal

using internal::Benchmark;

template <class F, class... A>
internal::Benchmark *RegisterBenchmark(const std::string &name, F &&f, A &&...args)
{
	auto bound = std::bind(std::forward<F>(f), std::placeholders::_1, std::forward<A>(args)...);
	return internal::RegisterFunction(name, [bound](State &st) mutable { bound(st); });
}

template <class F> internal::Benchmark *RegisterBenchmark(const std::string &name, F &&f)
{
	typename std::decay<F>::type copy(std::forward<F>(f));
	return internal::RegisterFunction(name, [copy](State &st) mutable { copy(st); });
}

class Fixture : public internal::Benchmark
{
      public:
	Fixture() : internal::Benchmark("")
	{
	}
	void Run(State &st) override
	{
		SetUp(st);
		BenchmarkCase(st);
		TearDown(st);
	}
	virtual void SetUp(const State &)
	{
	}
	virtual void TearDown(const State &)
	{
	}
	virtual void SetUp(State &st)
	{
		SetUp(static_cast<const State &>(st));
	}
	virtual void TearDown(State &st)
	{
		TearDown(static_cast<const State &>(st));
	}

      protected:
	void SetName(const char *name)
	{
		pending_ = name;
	}
	virtual void BenchmarkCase(State &) = 0;

      public:
	const std::string &PendingName() const
	{
		return pending_;
	}

      private:
	std::string pending_;
};

namespace internal
{
inline Benchmark *RegisterFixture(Fixture *f)
{
	Benchmark *b = RegisterBenchmarkInternal(f);
	b->Name(f->PendingName());
	return b;
}
} // namespace internal

inline void Initialize(int *argc, char **argv, void (*help)() = nullptr)
{
	internal::Arguments &a = internal::GetArguments();
	int kept = 1;

	(void)help;
	a.words.clear();
	a.words.push_back(*argc > 0 ? argv[0] : "benchmark");
	for (int i = 1; i < *argc; i++)
		if (!internal::Translate(argv[i], a))
			argv[kept++] = argv[i];
	if (!a.out.empty())
		a.words.push_back((a.out_is_csv ? "--google-csv=" : "--google-json=") + a.out);
	if (*argc > 0)
		*argc = kept;
}

// libetalon's own options are recognised too; the library reports any others itself.
inline bool ReportUnrecognizedArguments(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		internal::GetArguments().words.push_back(argv[i]);
	return false;
}

inline std::size_t RunSpecifiedBenchmarks()
{
	internal::Arguments &a = internal::GetArguments();
	std::vector<char *> argv;

	if (a.words.empty())
		a.words.push_back("benchmark");
	for (std::size_t i = 0; i < a.words.size(); i++)
		argv.push_back(&a.words[i][0]);
	argv.push_back(nullptr);
	a.status = ::etalon::run_all(static_cast<int>(argv.size() - 1), argv.data());
	if (a.status > 1) // a wrong option, a regression …: main would return 0
		std::exit(a.status);
	return ::etalon::detail::list().size();
}

// Layouts are random on purpose: they are part of the uncertainty.
inline void MaybeReenterWithoutASLR(int, char **)
{
}

inline void Shutdown()
{
}

inline void AddCustomContext(const std::string &, const std::string &)
{
}

inline void SetDefaultTimeUnit(TimeUnit)
{
}

inline std::vector<int64_t> CreateRange(int64_t lo, int64_t hi, int multi)
{
	return ::etalon::benchmark::powers(lo, hi, multi);
}

inline std::vector<int64_t> CreateDenseRange(int64_t from, int64_t to, int step)
{
	std::vector<int64_t> list;

	for (int64_t x = from; step > 0 && x <= to; x += step)
		list.push_back(x);
	return list;
}

} // namespace benchmark

#define BENCHMARK_PRIVATE_DECLARE(base)                                                            \
	static ::benchmark::internal::Benchmark *ETALON_UNIQUE(etalon_compat_) BENCHMARK_UNUSED

#define BENCHMARK(...)                                                                             \
	BENCHMARK_PRIVATE_DECLARE(_) = ::benchmark::internal::RegisterFunction(                    \
		#__VA_ARGS__, static_cast<::benchmark::internal::Function *>(__VA_ARGS__))
#define BENCHMARK_WITH_ARG(n, a) BENCHMARK(n)->Arg((a))
#define BENCHMARK_WITH_ARG2(n, a1, a2) BENCHMARK(n)->Args({ (a1), (a2) })
#define BENCHMARK_RANGE(n, lo, hi) BENCHMARK(n)->Range((lo), (hi))
#define BENCHMARK_CAPTURE(func, test_case_name, ...)                                               \
	BENCHMARK_PRIVATE_DECLARE(func) = ::benchmark::internal::RegisterFunction(                 \
		#func "/" #test_case_name, [](::benchmark::State &st) { func(st, __VA_ARGS__); })
#define BENCHMARK_TEMPLATE(n, ...)                                                                 \
	BENCHMARK_PRIVATE_DECLARE(n) =                                                             \
		::benchmark::internal::RegisterFunction(#n "<" #__VA_ARGS__ ">",                   \
			static_cast<::benchmark::internal::Function *>(n<__VA_ARGS__>))
#define BENCHMARK_TEMPLATE1(n, a) BENCHMARK_TEMPLATE(n, a)
#define BENCHMARK_TEMPLATE2(n, a, b) BENCHMARK_TEMPLATE(n, a, b)
#define BENCHMARK_TEMPLATE1_CAPTURE(func, a, test_case_name, ...)                                  \
	BENCHMARK_CAPTURE(func<a>, test_case_name, __VA_ARGS__)
#define BENCHMARK_TEMPLATE2_CAPTURE(func, a, b, test_case_name, ...)                               \
	BENCHMARK_PRIVATE_DECLARE(func) =                                                          \
		::benchmark::internal::RegisterFunction(#func "<" #a "," #b ">/" #test_case_name,  \
			[](::benchmark::State &st) { func<a, b>(st, __VA_ARGS__); })

#define BENCHMARK_PRIVATE_CLASS(base, method) base##_##method##_Benchmark
#define BENCHMARK_PRIVATE_DECLARE_F(base_type, base, method, text)                                 \
	class BENCHMARK_PRIVATE_CLASS(base, method) : public base_type                             \
	{                                                                                          \
	      public:                                                                              \
		BENCHMARK_PRIVATE_CLASS(base, method)()                                            \
		{                                                                                  \
			this->SetName(text);                                                       \
		}                                                                                  \
                                                                                                   \
	      protected:                                                                           \
		void BenchmarkCase(::benchmark::State &) override;                                 \
	};
#define BENCHMARK_DEFINE_F(base, method)                                                           \
	BENCHMARK_PRIVATE_DECLARE_F(base, base, method, #base "/" #method)                         \
	void BENCHMARK_PRIVATE_CLASS(base, method)::BenchmarkCase
#define BENCHMARK_REGISTER_F(base, method)                                                         \
	BENCHMARK_PRIVATE_DECLARE(base) = ::benchmark::internal::RegisterFixture(                  \
		new BENCHMARK_PRIVATE_CLASS(base, method)())
#define BENCHMARK_F(base, method)                                                                  \
	BENCHMARK_PRIVATE_DECLARE_F(base, base, method, #base "/" #method)                         \
	BENCHMARK_REGISTER_F(base, method);                                                        \
	void BENCHMARK_PRIVATE_CLASS(base, method)::BenchmarkCase
#define BENCHMARK_PRIVATE_TEMPLATE_F(base, method, ...)                                            \
	typedef base<__VA_ARGS__> base##_##method##_Base;                                          \
	BENCHMARK_PRIVATE_DECLARE_F(                                                               \
		base##_##method##_Base, base, method, #base "<" #__VA_ARGS__ ">/" #method)
#define BENCHMARK_TEMPLATE_DEFINE_F(base, method, ...)                                             \
	BENCHMARK_PRIVATE_TEMPLATE_F(base, method, __VA_ARGS__)                                    \
	void BENCHMARK_PRIVATE_CLASS(base, method)::BenchmarkCase
#define BENCHMARK_TEMPLATE_F(base, method, ...)                                                    \
	BENCHMARK_PRIVATE_TEMPLATE_F(base, method, __VA_ARGS__)                                    \
	BENCHMARK_REGISTER_F(base, method);                                                        \
	void BENCHMARK_PRIVATE_CLASS(base, method)::BenchmarkCase
#define BENCHMARK_TEMPLATE1_DEFINE_F(base, method, a) BENCHMARK_TEMPLATE_DEFINE_F(base, method, a)
#define BENCHMARK_TEMPLATE2_DEFINE_F(base, method, a, b)                                           \
	BENCHMARK_TEMPLATE_DEFINE_F(base, method, a, b)
#define BENCHMARK_TEMPLATE1_F(base, method, a) BENCHMARK_TEMPLATE_F(base, method, a)
#define BENCHMARK_TEMPLATE2_F(base, method, a, b) BENCHMARK_TEMPLATE_F(base, method, a, b)

// BENCHMARK_TEMPLATE_METHOD_F(base, method)(State &) { … } for a template class base, whose
// BENCHMARK_TEMPLATE_INSTANTIATE_F(base, method, types) are benchmarks.
#define BENCHMARK_TEMPLATE_METHOD_F(base, method)                                                  \
	template <class... Args>                                                                   \
	class BENCHMARK_PRIVATE_CLASS(base, method) : public base<Args...>                         \
	{                                                                                          \
	      public:                                                                              \
		BENCHMARK_PRIVATE_CLASS(base, method)(const char *name)                            \
		{                                                                                  \
			this->SetName(name);                                                       \
		}                                                                                  \
                                                                                                   \
	      protected:                                                                           \
		using Base = base<Args...>;                                                        \
		void BenchmarkCase(::benchmark::State &) override;                                 \
	};                                                                                         \
	template <class... Args> void BENCHMARK_PRIVATE_CLASS(base, method)<Args...>::BenchmarkCase
#define BENCHMARK_TEMPLATE_INSTANTIATE_F(base, method, ...)                                        \
	BENCHMARK_PRIVATE_DECLARE(base) = ::benchmark::internal::RegisterFixture(                  \
		new BENCHMARK_PRIVATE_CLASS(base, method) < __VA_ARGS__ >                          \
		(#base "<" #__VA_ARGS__ ">/" #method))

#define BENCHMARK_MAIN()                                                                           \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		::benchmark::Initialize(&argc, argv);                                              \
		::benchmark::ReportUnrecognizedArguments(argc, argv);                              \
		::benchmark::RunSpecifiedBenchmarks();                                             \
		return ::benchmark::internal::GetArguments().status;                               \
	}                                                                                          \
	int main(int, char **)

#endif
