// SPDX-License-Identifier: MIT
// What Python has of the library: devices, calls as data, sorters that run and record them. Which arrays there are, and
// where they lie, is known to lanesort/*.py alone.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <lanesort/version.h>

#include <lanesort/calls.hpp>
#include <lanesort/commands.hpp>
#include <lanesort/cuda.hpp>
#include <lanesort/device.hpp>
#include <lanesort/error.hpp>
#include <lanesort/opencl.hpp>
#include <lanesort/sorter.hpp>
#include <lanesort/tuning.hpp>
#include "core/backend.hpp"
#include "diagnosis.hpp"
#include "large/ranks/calls.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

/// Releases Python's lock as long as it lives. A daemon thread that wants it back when the interpreter ends is ended
/// by Python before 3.14 with pthread_exit, whose unwinding no destructor and nothing of nanobind lets through: the
/// process would be aborted. From 3.14 on such a thread waits for the end of the process, and so it does here.
class WithoutLock {
public:
    WithoutLock() : thread_(PyEval_SaveThread()) {}
    WithoutLock(const WithoutLock&) = delete;
    WithoutLock& operator=(const WithoutLock&) = delete;
    ~WithoutLock() {
        try {
            PyEval_RestoreThread(thread_);
        } catch (...) {
            for (;;) pause();
        }
    }

private:
    PyThreadState* thread_;
};

const char* name(lanesort::ErrorCode code) {
    using lanesort::ErrorCode;
    switch (code) {
        case ErrorCode::invalid_argument: return "invalid_argument";
        case ErrorCode::no_platform: return "no_platform";
        case ErrorCode::no_device: return "no_device";
        case ErrorCode::unknown_device: return "unknown_device";
        case ErrorCode::unsupported: return "unsupported";
        case ErrorCode::out_of_range: return "out_of_range";
        case ErrorCode::not_writable: return "not_writable";
        case ErrorCode::wrong_context: return "wrong_context";
        case ErrorCode::too_large: return "too_large";
        case ErrorCode::build_failed: return "build_failed";
        case ErrorCode::out_of_memory: return "out_of_memory";
        case ErrorCode::device_failed: return "device_failed";
    }
    return "";
}

/// What has that name; an invalid argument unless there is one.
lanesort::ErrorCode code_of(const std::string& word) {
    for (auto code = std::uint8_t{0}; *name(lanesort::ErrorCode{code}) != 0; ++code)
        if (word == name(lanesort::ErrorCode{code})) return lanesort::ErrorCode{code};
    return lanesort::ErrorCode::invalid_argument;
}

const char* name(lanesort::DeviceKind kind) {
    using lanesort::DeviceKind;
    return kind == DeviceKind::cpu ? "cpu" : kind == DeviceKind::gpu ? "gpu" : "other";
}

// Python's exception, which lanesort/_errors.py makes.
PyObject* error_type = nullptr;

void raise(const lanesort::Error& error) {
    try {
        nb::object raised = nb::handle(error_type)(error.what(), "code"_a = name(error.code()), "call"_a = error.call(),
                                                   "status"_a = error.status(), "build_log"_a = error.build_log());
        PyErr_SetObject(error_type, raised.ptr());
    } catch (nb::python_error& other) {
        other.restore();
    }
}

// The process that has used drivers of OpenCL or CUDA; 0: none has. No driver survives a fork: a call of its in a child
// waits forever for threads that only the parent has.
std::atomic<pid_t> user_of_drivers = 0;

constexpr const char* lost_in_fork =
    "OpenCL and CUDA cannot be used in this process: it was forked from one that had used them. Start processes by "
    "\"spawn\" or \"forkserver\"; the built-in device sorts here";

bool has_lost_drivers() {
    const pid_t user = user_of_drivers;
    return user != 0 && user != getpid();
}

void require_drivers() {
    if (has_lost_drivers()) throw lanesort::Error(lanesort::ErrorCode::unsupported, lost_in_fork);
}

/// Comes before what calls a driver that is there.
void use_drivers() {
    require_drivers();
    user_of_drivers = getpid();
}

lanesort::Discovery discover() {
    const lanesort::Device built_in = lanesort::built_in_device();
    const std::string& own = built_in.info().platform;
    if (has_lost_drivers()) return {{own}, {built_in}, {lost_in_fork}};
    lanesort::Discovery found = lanesort::discover();
    const auto is_driver = [&](const std::string& platform) { return platform != own; };
    if (std::ranges::any_of(found.platforms, is_driver)) use_drivers();
    return found;
}

lanesort::Device find_device(const std::string& selector) {
    try {
        return lanesort::detail::find_device(selector, discover);
    } catch (const lanesort::Error&) {
        require_drivers();
        throw;
    }
}

/// A call as data. Its places are addresses or, for OpenCL, handles of buffers with an offset in elements.
class Call : public lanesort::AnyCall {
public:
    Call(unsigned operation, unsigned key_type, std::uint64_t count) {
        request.operation = static_cast<lanesort::Operation>(operation);
        request.key = static_cast<lanesort::KeyType>(key_type);
        request.count = count;
    }
    Call(const Call&) = delete;

    void set_comparator(lanesort::Comparator comparator) {
        comparator_ = std::move(comparator);
        request.key = lanesort::KeyKind(*comparator_);
    }
    void set_predicate(lanesort::Predicate predicate) {
        predicate_ = std::move(predicate);
        request.key = lanesort::KeyKind(*predicate_);
    }
    /// Of the keys, or of the values.
    void set_operator(lanesort::BinaryOperator combining, bool of_values) {
        operator_ = std::move(combining);
        (of_values ? request.value_type : request.key) = lanesort::KeyKind(*operator_);
    }
    /// In host memory, so many indices of 8 bytes: they are sorted as ones of 4 in the second half of their array, and
    /// widened in it. The built-in device has a quicksort for those alone, and less is moved anywhere.
    void set_narrow_indices(std::uintptr_t address, std::size_t count) {
        wide_ = reinterpret_cast<unsigned char*>(address);
        narrow_ = wide_ + count * 4;
        count_ = count;
        request.index_bytes = 4;
        indices = {narrow_};
    }
    void widen_indices() const {
        // Each is read before its place is written to, since 8 i + 8 <= 4 n + 4 (i + 1) for i < n.
        for (std::size_t i = 0; i < count_; ++i) {
            std::uint32_t index;
            std::memcpy(&index, narrow_ + i * 4, 4);
            const std::uint64_t wide = index;
            std::memcpy(wide_ + i * 8, &wide, 8);
        }
    }

    void set_descending(bool descending) {
        request.order = descending ? lanesort::Order::descending : lanesort::Order::ascending;
    }

private:
    std::optional<lanesort::Comparator> comparator_;
    std::optional<lanesort::Predicate> predicate_;
    std::optional<lanesort::BinaryOperator> operator_;
    unsigned char *wide_ = nullptr, *narrow_ = nullptr;
    std::size_t count_ = 0;
};

std::vector<void*> handles(const std::vector<std::uintptr_t>& events) {
    std::vector<void*> handles;
    for (const std::uintptr_t event : events) handles.push_back(reinterpret_cast<void*>(event));
    return handles;
}

/// A sorter that threads may share: their calls go one after the other, and Python's other threads run meanwhile.
class Sorter {
public:
    explicit Sorter(lanesort::Sorter sorter) : sorter_(std::make_unique<lanesort::Sorter>(std::move(sorter))) {}
    Sorter(const Sorter&) = delete;
    // What another process made is not ours to close.
    ~Sorter() {
        if (!is_of_this_process()) (void)sorter_.release();
    }

    bool is_of_this_process() const { return getpid() == process_; }

    /// The same across ranks. Two calls would each keep the sorter and wait for what other ranks do with the other one.
    template <class Use>
    void use_across(lanesort::mpi::Ranks& ranks, const Use& use) {
        if (is_across_.exchange(true)) {
            const WithoutLock without_lock;
            lanesort::mpi::refuse(
                ranks, std::make_exception_ptr(
                           lanesort::Error(lanesort::ErrorCode::invalid_argument,
                                           "another thread sorts across ranks with this sorter; a thread that does so "
                                           "takes a sorter of its own")));
        }
        struct Freed {
            std::atomic<bool>& flag;
            ~Freed() { flag = false; }
        } const freed{is_across_};
        this->use(use);
    }

    template <class Use>
    auto use(const Use& use) {
        if (!is_of_this_process())
            throw lanesort::Error(lanesort::ErrorCode::unsupported,
                                  "this sorter was made before the process was forked; make another one here");
        const WithoutLock without_lock;
        const std::lock_guard lock(mutex_);
        return use(*sorter_);
    }

    lanesort::SortReport run(const Call& call) {
        return use([&](lanesort::Sorter& sorter) {
            lanesort::CallIn<void*> in_host_memory;
            static_cast<lanesort::AnyCall&>(in_host_memory) = call;
            const lanesort::SortReport report = sorter.run(in_host_memory);
            call.widen_indices();
            return report;
        });
    }
    /// Gives the event of the end, of OpenCL, which the caller releases; else 0.
    std::uintptr_t enqueue(const Call& call, std::uintptr_t queue, const std::vector<std::uintptr_t>& wait_for) {
        return use([&](lanesort::Sorter& sorter) {
            void* end = nullptr;
            const bool has_event = sorter.device().backend == lanesort::opencl::backend_name;
            const std::vector<void*> waits = handles(wait_for);
            lanesort::detail::enqueue(sorter, sorter.device().backend.c_str(), {reinterpret_cast<void*>(queue), waits},
                                      call, has_event ? &end : nullptr);
            return reinterpret_cast<std::uintptr_t>(end);
        });
    }
    void prepare(const Call& call) {
        use([&](lanesort::Sorter& sorter) { sorter.prepare(call.request); });
    }
    void release() {
        use([](lanesort::Sorter& sorter) { sorter.release(); });
    }
    lanesort::SortReport report() {
        return use([](const lanesort::Sorter& sorter) { return sorter.last_report(); });
    }
    const lanesort::DeviceInfo& device() const { return sorter_->device(); }
    const std::string& note() const { return sorter_->note(); }

private:
    std::unique_ptr<lanesort::Sorter> sorter_;
    std::mutex mutex_;
    std::atomic<bool> is_across_ = false;
    const pid_t process_ = getpid();
};

/// A call that is recorded once and enqueued many times. Keeps its sorter.
class Recorded {
public:
    Recorded(nb::object sorter, const Call& call, std::uintptr_t queue)
        : sorter_object_(std::move(sorter)), sorter_(nb::cast<Sorter&>(sorter_object_)) {
        recorded_ = sorter_.use([&](lanesort::Sorter& used) {
            return std::make_unique<lanesort::detail::RecordedCall>(used, used.device().backend.c_str(),
                                                                    reinterpret_cast<void*>(queue), call);
        });
        has_event_ = sorter_.device().backend == lanesort::opencl::backend_name;
    }
    Recorded(const Recorded&) = delete;
    ~Recorded() {
        if (!sorter_.is_of_this_process()) (void)recorded_.release();
    }

    std::uintptr_t enqueue(const std::vector<std::uintptr_t>& wait_for) {
        return sorter_.use([&](lanesort::Sorter&) {
            void* end = nullptr;
            recorded_->enqueue(handles(wait_for), has_event_ ? &end : nullptr);
            return reinterpret_cast<std::uintptr_t>(end);
        });
    }
    bool is_replayed() const { return recorded_->is_replayed(); }

private:
    nb::object sorter_object_;
    Sorter& sorter_;
    std::unique_ptr<lanesort::detail::RecordedCall> recorded_;
    bool has_event_ = false;
};

/// Ranks whose messages Python sends, by mpi4py: lanesort/mpi.py has the functions. They are given addresses and bytes.
class Ranks final : public lanesort::mpi::Ranks {
public:
    explicit Ranks(nb::object transport)
        : transport_(std::move(transport)),
          rank_(nb::cast<std::uint64_t>(transport_.attr("rank"))),
          size_(nb::cast<std::uint64_t>(transport_.attr("size"))) {}

    std::uint64_t rank() const override { return rank_; }
    std::uint64_t size() const override { return size_; }
    void all_gather(const std::byte* mine, std::byte* all, std::uint64_t bytes) override {
        call("all_gather", at(mine), at(all), bytes);
    }
    void add(std::span<std::uint64_t> numbers) override { call("add", at(numbers.data()), numbers.size()); }
    void add_below(std::span<std::uint64_t> numbers) override { call("add_below", at(numbers.data()), numbers.size()); }
    void all_to_all(const std::byte* from, std::byte* to, std::uint64_t bytes) override {
        call("all_to_all", at(from), at(to), bytes);
    }
    void all_to_all(const std::byte* from, const lanesort::mpi::Parts& sent, std::byte* to,
                    const lanesort::mpi::Parts& received, std::size_t width) override {
        call("all_to_all_parts", at(from), sent.counts, sent.begins, at(to), received.counts, received.begins, width);
    }
    void broadcast(std::byte* data, std::uint64_t bytes) override {
        lanesort::mpi::in_messages(bytes, [&](std::uint64_t first, int n) { call("broadcast", at(data + first), n); });
    }
    void exchange(const std::vector<lanesort::mpi::Message>& received,
                  const std::vector<lanesort::mpi::Message>& sent) override {
        call("exchange", messages(received), messages(sent));
    }

private:
    using Message = std::tuple<std::uint64_t, std::uintptr_t, int>;

    static std::uintptr_t at(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }
    static std::vector<Message> messages(const std::vector<lanesort::mpi::Message>& all) {
        std::vector<Message> some;
        for (const auto& [rank, data, bytes] : all)
            lanesort::mpi::in_messages(bytes, [&, to = rank, place = data](std::uint64_t first, int n) {
                some.emplace_back(to, at(place + first), n);
            });
        return some;
    }
    // The sort runs without Python's lock.
    template <class... Arguments>
    void call(const char* function, const Arguments&... arguments) {
        const nb::gil_scoped_acquire with_lock;
        transport_.attr(function)(arguments...);
    }

    nb::object transport_;
    std::uint64_t rank_, size_;
};

using Place = lanesort::AnyCall::Place;

template <Place lanesort::AnyCall::*place>
void def_place(nb::class_<Call>& call, const char* name) {
    call.def_prop_rw(
        name,
        [](const Call& self) {
            return std::pair(reinterpret_cast<std::uintptr_t>((self.*place).memory), (self.*place).offset);
        },
        [](Call& self, std::pair<std::uintptr_t, std::size_t> at) {
            self.*place = {reinterpret_cast<void*>(at.first), at.second};
        });
}

template <auto member>
void def_member(nb::class_<Call>& call, const char* name) {
    using Type = std::remove_cvref_t<decltype(std::declval<lanesort::Request>().*member)>;
    // An enumerator is its number.
    using Given =
        typename std::conditional_t<std::is_enum_v<Type>, std::type_identity<unsigned>, std::type_identity<Type>>::type;
    call.def_prop_rw(
        name, [](const Call& self) { return static_cast<Given>(self.request.*member); },
        [](Call& self, Given value) { self.request.*member = static_cast<Type>(value); });
}

using Report = nb::typed<nb::dict, nb::str, nb::any>;

Report as_dict(const lanesort::SortReport& report) {
    Report members;
    members["launches"] = report.launches;
    members["hand_overs"] = report.hand_overs;
    members["barriers"] = report.barriers;
    members["device_bytes"] = report.device_bytes;
    members["upload_seconds"] = report.upload_seconds;
    members["sort_seconds"] = report.sort_seconds;
    members["download_seconds"] = report.download_seconds;
    members["schedule"] = lanesort::name(report.schedule);
    return members;
}

template <auto member>
void def_fact(nb::class_<lanesort::Device>& device, const char* name, const char* text) {
    device.def_prop_ro(
        name, [](const lanesort::Device& self) { return self.info().*member; }, text);
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "The library itself, for the package's own use.";
    // A daemon thread may sort when the process ends: what it uses then is no leak, and no user can change it.
    nb::set_leak_warnings(false);
    m.attr("version") = LANESORT_VERSION;
    m.def("set_error_type", [](nb::object type) { error_type = type.release().ptr(); });
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const lanesort::Error& error) {
            raise(error);
        }
    });

    nb::list operations, key_types, schedules;
    for (const auto operation : lanesort::all_operations) operations.append(lanesort::name(operation));
    key_types.append("none");
    for (const auto type : lanesort::all_key_types) key_types.append(std::string(lanesort::name(type)));
    for (const auto schedule : lanesort::all_schedules) schedules.append(lanesort::name(schedule));
    m.attr("operations") = nb::tuple(operations);
    m.attr("key_types") = nb::tuple(key_types);
    m.attr("schedules") = nb::tuple(schedules);

    nb::class_<lanesort::Device> device(m, "Device", "A device that sorts, as devices() and find_device() give it.");
    using Info = lanesort::DeviceInfo;
    def_fact<&Info::backend>(device, "backend", "\"CUDA\", \"OpenCL\", or \"CPU\", the built-in one.");
    def_fact<&Info::platform>(device, "platform", "The implementation.");
    def_fact<&Info::name>(device, "name", "Its name, as the driver gives it.");
    def_fact<&Info::vendor>(device, "vendor", "Who made it, as the driver gives it.");
    def_fact<&Info::version>(device, "version", "Of the device, as the driver gives it.");
    def_fact<&Info::driver>(device, "driver", "The driver's version.");
    def_fact<&Info::compute_units>(device, "compute_units", "Cores, or multiprocessors.");
    def_fact<&Info::global_bytes>(device, "global_bytes", "All of its memory.");
    def_fact<&Info::max_allocation_bytes>(device, "max_allocation_bytes", "Of it, in one array.");
    def_fact<&Info::host_unified_memory>(device, "host_unified_memory", "It sorts host memory without a copy.");
    def_fact<&Info::compiles>(device, "compiles", "It compiles kernels, which comparators need.");
    device.def_prop_ro(
        "kind", [](const lanesort::Device& self) { return name(self.info().kind); }, "\"cpu\", \"gpu\" or \"other\".");
    device.def("__repr__", [](const lanesort::Device& self) {
        return "<lanesort.Device '" + self.info().name + "' (" + self.info().backend + ")>";
    });

    m.def("report_of_nothing", [] { return as_dict({}); });
    m.def("discover", [] {
        lanesort::Discovery found;
        {
            const WithoutLock without_lock;
            found = discover();
        }
        return std::tuple(found.platforms, found.devices, found.absences);
    });
    m.def("built_in_device", &lanesort::built_in_device);
    m.def(
        "find_device",
        [](const std::string& selector) {
            const WithoutLock without_lock;
            return find_device(selector);
        },
        "selector"_a = "");

    m.def("examine", [] {
        Examination all;
        {
            const WithoutLock without_lock;
            require_drivers();
            discover();
            all = examine_all([](const std::function<void()>& sort) { sort(); });
        }
        std::vector<std::tuple<std::string, std::string, std::string, std::string>> findings;
        for (const auto& [verdict, about, found, advice] : all.findings)
            findings.emplace_back(name(verdict), about, found, advice);
        return std::tuple(findings, all.devices, all.sorting);
    });

    // Of anything that shows a contiguous buffer, in a tenth of the time that numpy's own way takes.
    m.def("address", [](nb::handle array) {
        Py_buffer buffer;
        if (PyObject_GetBuffer(array.ptr(), &buffer, PyBUF_SIMPLE) != 0) throw nb::python_error();
        const auto address = reinterpret_cast<std::uintptr_t>(buffer.buf);
        PyBuffer_Release(&buffer);
        return address;
    });

    nb::class_<Call> call(m, "Call");
    call.def(nb::init<unsigned, unsigned, std::uint64_t>(), "operation"_a, "key_type"_a, "count"_a);
    using Request = lanesort::Request;
    call.def_prop_ro("count", [](const Call& self) { return self.request.count; });
    def_member<&Request::stable>(call, "stable");
    def_member<&Request::in_place>(call, "in_place");
    def_member<&Request::apart>(call, "apart");
    def_member<&Request::row_length>(call, "row_length");
    def_member<&Request::segments>(call, "segments");
    def_member<&Request::longest>(call, "longest");
    def_member<&Request::middle>(call, "middle");
    def_member<&Request::first>(call, "first");
    def_member<&Request::offset_bytes>(call, "offset_bytes");
    def_member<&Request::value_bytes>(call, "value_bytes");
    call.def_prop_rw(
        "value_type", [](const Call& self) { return static_cast<unsigned>(self.request.value_type.type()); },
        [](Call& self, unsigned type) { self.request.value_type = static_cast<lanesort::KeyType>(type); });
    def_member<&Request::index_bytes>(call, "index_bytes");
    def_member<&Request::length_bytes>(call, "length_bytes");
    def_member<&Request::data_independent>(call, "data_independent");
    def_member<&Request::extra_bytes>(call, "extra_bytes");
    def_member<&Request::schedule>(call, "schedule");
    def_member<&Request::reduction>(call, "reduction");
    def_member<&Request::limited>(call, "limited");
    def_member<&Request::nan_last>(call, "nan_last");
    def_member<&Request::inverted>(call, "inverted");
    def_member<&Request::second_count>(call, "second_count");
    def_member<&Request::bins>(call, "bins");
    def_member<&Request::bounded>(call, "bounded");
    def_member<&Request::lower>(call, "lower");
    def_member<&Request::upper>(call, "upper");
    call.def("set_narrow_indices", &Call::set_narrow_indices);
    call.def("set_descending", &Call::set_descending);
    call.def("set_comparator",
             [](Call& self, std::string type, std::size_t bytes, std::string before, std::string declarations) {
                 self.set_comparator({std::move(type), bytes, std::move(before), std::move(declarations)});
             });
    call.def("set_predicate", [](Call& self, std::string type, std::size_t bytes, std::string holds,
                                 std::string declarations, std::string parameter_type, std::size_t parameter_bytes) {
        self.set_predicate({std::move(type), bytes, std::move(holds), std::move(declarations),
                            std::move(parameter_type), parameter_bytes});
    });
    call.def(
        "set_operator",
        [](Call& self, std::string type, std::size_t bytes, std::string combine, std::string identity,
           std::string declarations, std::string transform, bool of_values) {
            self.set_operator({std::move(type), bytes, std::move(combine), std::move(identity), std::move(declarations),
                               std::move(transform)},
                              of_values);
        },
        "type"_a, "bytes"_a, "combine"_a, "identity"_a, "declarations"_a, "transform"_a, "of_values"_a);
    using Places = lanesort::AnyCall;
    def_place<&Places::keys>(call, "keys");
    def_place<&Places::values>(call, "values");
    def_place<&Places::second_keys>(call, "second_keys");
    def_place<&Places::second_values>(call, "second_values");
    def_place<&Places::indices>(call, "indices");
    def_place<&Places::segments>(call, "segment_offsets");
    def_place<&Places::results>(call, "results");
    def_place<&Places::result_values>(call, "result_values");
    def_place<&Places::lengths>(call, "lengths");
    def_place<&Places::answers>(call, "answers");
    def_place<&Places::limit>(call, "limit");
    def_place<&Places::flags>(call, "flags");
    def_place<&Places::parameter>(call, "parameter");

    nb::class_<Sorter> sorter(m, "Sorter");
    sorter.def(nb::new_([](const lanesort::Device& on, std::uint64_t device_bytes) {
                   const WithoutLock without_lock;
                   if (on.info().backend != lanesort::built_in_device().info().backend) use_drivers();
                   return new Sorter(lanesort::Sorter(on, {.device_bytes = device_bytes}));
               }),
               "device"_a, "device_bytes"_a = 0);
    sorter.def_static("cuda", [](int number) {
        const WithoutLock without_lock;
        use_drivers();
        return new Sorter(lanesort::cu::make_sorter(number));
    });
    m.def("cuda_device_of", [](std::uintptr_t memory) {
        use_drivers();
        return lanesort::cu::device_of(reinterpret_cast<void*>(memory));
    });
    sorter.def_static("opencl", [](std::uintptr_t context, std::uintptr_t of_device) {
        const WithoutLock without_lock;
        use_drivers();
        return new Sorter(lanesort::opencl::make_sorter(reinterpret_cast<cl_context>(context),
                                                        reinterpret_cast<cl_device_id>(of_device)));
    });
    sorter.def("run", [](Sorter& self, const Call& what) { self.run(what); });
    sorter.def("run_on_ranks", [](Sorter& self, const Call& what, nb::object transport, std::size_t piece_bytes) {
        Ranks ranks(std::move(transport));
        self.use_across(ranks, [&](lanesort::Sorter& used) { lanesort::mpi::run(ranks, used, what, piece_bytes); });
    });
    // The same in device memory.
    sorter.def("enqueue_on_ranks", [](Sorter& self, const Call& what, nb::object transport, std::size_t piece_bytes,
                                      std::uintptr_t queue, bool is_staged) {
        Ranks ranks(std::move(transport));
        self.use_across(ranks, [&](lanesort::Sorter& used) {
            const std::string& backend = used.device().backend;
            lanesort::mpi::run_on_device(
                ranks, used,
                {backend.c_str(), reinterpret_cast<void*>(queue), backend == lanesort::cu::backend_name, what},
                {.piece_bytes = piece_bytes}, is_staged);
        });
    });
    m.def("refuse_on_ranks", [](nb::object transport, const std::string& sentence, const std::string& code) {
        Ranks ranks(std::move(transport));
        const WithoutLock without_lock;
        lanesort::mpi::refuse(ranks, std::make_exception_ptr(lanesort::Error(code_of(code), sentence)));
    });
    sorter.def("enqueue", &Sorter::enqueue, "call"_a, "queue"_a, "wait_for"_a = std::vector<std::uintptr_t>());
    sorter.def("prepare", &Sorter::prepare);
    sorter.def("release", &Sorter::release);
    sorter.def("commands_of", [](const Sorter& self, const Call& what, bool in_host_memory) {
        lanesort::Request request = what.request;
        request.in_host_memory = in_host_memory;
        const lanesort::CommandList list = lanesort::commands_of(self.device(), request);
        std::vector<std::tuple<std::string, std::uint64_t, std::uint64_t, std::uint64_t>> commands;
        for (const lanesort::PlannedCommand& command : list.commands)
            commands.emplace_back(command.name, command.groups, command.work_items, command.bytes);
        return std::tuple(commands, as_dict(list.report));
    });
    sorter.def_prop_ro("report", [](Sorter& self) { return as_dict(self.report()); });
    sorter.def_prop_ro("backend", [](const Sorter& self) { return self.device().backend; });
    sorter.def_prop_ro("device_name", [](const Sorter& self) { return self.device().name; });
    sorter.def_prop_ro("note", &Sorter::note);

    nb::class_<Recorded>(m, "Recorded")
        .def(nb::init<nb::object, const Call&, std::uintptr_t>(), "sorter"_a, "call"_a, "queue"_a)
        .def("enqueue", &Recorded::enqueue, "wait_for"_a = std::vector<std::uintptr_t>())
        .def_prop_ro("is_replayed", &Recorded::is_replayed);
}
