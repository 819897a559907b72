// SPDX-License-Identifier: MIT
// mpi.hpp and lanesort_mpi.h: the calls on the ranks of a communicator.
#include <exception>
#include <optional>

#include <lanesort/lanesort_mpi.h>
#include <lanesort/mpi.hpp>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include "api/host_ranges.hpp"
#include "arguments.hpp"  // of c/
#include "communicator.hpp"
#include "large/ranks/calls.hpp"

namespace lanesort::inline v0_1::mpi {

bool takes_cuda_memory() noexcept {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
    int is_supported = 0;
    return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &is_supported) == MPI_SUCCESS && is_supported != 0;
#else
    return false;
#endif
}

namespace {

/// Runs the call that `make` makes, if it can: on host memory if no backend is named. Memory that has addresses is
/// CUDA's.
template <class Make>
void run(MPI_Comm communicator, Sorter& sorter, PlacedCall call, const Options& options, const Make& make) {
    Communicator ranks(communicator);
    Steps steps;
    steps([&] {
        check_messages(static_cast<std::int64_t>(options.device_messages));
        call.call = make();
    });
    // The other ranks wait for what this one has to say.
    if (steps.failure()) refuse(ranks, steps.failure());
    const bool is_staged = options.device_messages == DeviceMessages::staged ||
                           (options.device_messages == DeviceMessages::automatic && !takes_cuda_memory());
    if (call.backend) run_on_device(ranks, sorter, call, options, is_staged);
    else mpi::run(ranks, sorter, call.call, options.piece_bytes);
}

using lanesort::detail::range_of;

PlacedCall on_host() { return {nullptr, nullptr, false, {}}; }
PlacedCall on_stream(cu::Stream stream) { return {cu::backend_name, stream, true, {}}; }
PlacedCall on_queue(opencl::Queue queue) { return {opencl::backend_name, queue, false, {}}; }

}  // namespace

void sort(MPI_Comm communicator, Sorter& sorter, Keys keys, const Options& options) {
    run(communicator, sorter, on_host(), options, [&] { return lanesort::sort(range_of(keys, options)); });
}

void sort_by_key(MPI_Comm communicator, Sorter& sorter, Keys keys, Values values, const Options& options) {
    run(communicator, sorter, on_host(), options, [&] {
        require(keys.size() == values.size(), "there is not one value for each key");
        require(values.bytes() > 0, "values have 1, 2, 4, 8 or 16 bytes");
        return lanesort::sort_by_key(range_of(keys, options), {values.data(), 0, values.bytes()});
    });
}

void argsort(MPI_Comm communicator, Sorter& sorter, ConstKeys keys, Indices indices, const Options& options) {
    run(communicator, sorter, on_host(), options, [&] {
        require(keys.size() == indices.size(), "there is not one index for each key");
        return lanesort::argsort(range_of(keys, options), {indices.data(), 0, indices.bytes()});
    });
}

void top_k(MPI_Comm communicator, Sorter& sorter, ConstKeys keys, Results best, const Options& options) {
    top_k(communicator, sorter, keys, best, Indices(nullptr, 0, 0), options);
}

void top_k(MPI_Comm communicator, Sorter& sorter, ConstKeys keys, Results best, Indices indices,
           const Options& options) {
    run(communicator, sorter, on_host(), options, [&] {
        require(best.bytes() == keys.kind().bytes(), "results have not the keys' width");
        require(indices.size() == best.size() || indices.bytes() == 0,
                "there is not one index for each key that is selected");
        return lanesort::top_k(range_of(keys, options), best.size(),
                               {best.data(), 0, {indices.data(), 0, indices.bytes()}});
    });
}

void sort(MPI_Comm communicator, Sorter& sorter, cu::Stream stream, const cu::KeyRange& keys, const Options& options) {
    run(communicator, sorter, on_stream(stream), options, [&] { return lanesort::sort(keys); });
}

void sort_by_key(MPI_Comm communicator, Sorter& sorter, cu::Stream stream, const cu::KeyRange& keys,
                 const cu::ValueRange& values, const Options& options) {
    run(communicator, sorter, on_stream(stream), options, [&] { return lanesort::sort_by_key(keys, values); });
}

void argsort(MPI_Comm communicator, Sorter& sorter, cu::Stream stream, const cu::KeyRange& keys,
             const cu::ValueRange& indices, const Options& options) {
    run(communicator, sorter, on_stream(stream), options, [&] { return lanesort::argsort(keys, indices); });
}

void top_k(MPI_Comm communicator, Sorter& sorter, cu::Stream stream, const cu::KeyRange& keys, std::size_t k,
           const cu::Selected& selected, const Options& options) {
    run(communicator, sorter, on_stream(stream), options, [&] { return lanesort::top_k(keys, k, selected); });
}

void sort(MPI_Comm communicator, Sorter& sorter, opencl::Queue queue, const opencl::KeyRange& keys,
          const Options& options) {
    run(communicator, sorter, on_queue(queue), options, [&] { return lanesort::sort(keys); });
}

void sort_by_key(MPI_Comm communicator, Sorter& sorter, opencl::Queue queue, const opencl::KeyRange& keys,
                 const opencl::ValueRange& values, const Options& options) {
    run(communicator, sorter, on_queue(queue), options, [&] { return lanesort::sort_by_key(keys, values); });
}

void argsort(MPI_Comm communicator, Sorter& sorter, opencl::Queue queue, const opencl::KeyRange& keys,
             const opencl::ValueRange& indices, const Options& options) {
    run(communicator, sorter, on_queue(queue), options, [&] { return lanesort::argsort(keys, indices); });
}

void top_k(MPI_Comm communicator, Sorter& sorter, opencl::Queue queue, const opencl::KeyRange& keys, std::size_t k,
           const opencl::Selected& selected, const Options& options) {
    run(communicator, sorter, on_queue(queue), options, [&] { return lanesort::top_k(keys, k, selected); });
}

namespace {

std::size_t piece_bytes_or_usual(size_t given) { return given > 0 ? given : Options{}.piece_bytes; }

/// Checks the request and `messages`, then runs `function(ranks, sorter, call)`.
template <class Function>
lanesort_status run_in_c(lanesort_sorter* sorter, MPI_Comm communicator, const lanesort_request* request,
                         lanesort_mpi_messages messages, const Function& function) {
    return c::guarded([&] {
        Communicator ranks(communicator);
        std::optional<c::CallOf> call;
        Steps steps;
        steps([&] {
            c::sorter_of(sorter);
            call.emplace(request);
            check_messages(messages);
        });
        // The other ranks wait for what this one has to say.
        if (steps.failure()) refuse(ranks, steps.failure());
        else function(ranks, c::sorter_of(sorter), *call);
    });
}

lanesort_status run_on_device_in_c(lanesort_sorter* sorter, MPI_Comm communicator, const lanesort_request* request,
                                   PlacedCall device, size_t piece_bytes, lanesort_mpi_messages messages) {
    return run_in_c(sorter, communicator, request, messages, [&](Ranks& ranks, Sorter& used, const c::CallOf& call) {
        device.call = call.in<void*>();
        run_on_device(ranks, used, device, {.piece_bytes = piece_bytes_or_usual(piece_bytes)},
                      messages == LANESORT_MPI_STAGED || (messages != LANESORT_MPI_DIRECT && !takes_cuda_memory()));
    });
}

}  // namespace
}  // namespace lanesort::inline v0_1::mpi

using namespace lanesort;

lanesort_status lanesort_mpi_run(lanesort_sorter* sorter, MPI_Comm communicator, const lanesort_request* request,
                                 size_t piece_bytes) {
    return mpi::run_in_c(sorter, communicator, request, LANESORT_MPI_AUTOMATIC,
                         [&](auto& ranks, Sorter& used, const c::CallOf& call) {
                             mpi::run(ranks, used, call.in<void*>(), mpi::piece_bytes_or_usual(piece_bytes));
                         });
}

lanesort_status lanesort_mpi_run_cuda(lanesort_sorter* sorter, CUstream_st* stream, MPI_Comm communicator,
                                      const lanesort_request* request, size_t piece_bytes,
                                      lanesort_mpi_messages messages) {
    return mpi::run_on_device_in_c(sorter, communicator, request, mpi::on_stream(stream), piece_bytes, messages);
}

lanesort_status lanesort_mpi_run_opencl(lanesort_sorter* sorter, cl_command_queue queue, MPI_Comm communicator,
                                        const lanesort_request* request, size_t piece_bytes) {
    return mpi::run_on_device_in_c(sorter, communicator, request, mpi::on_queue(queue), piece_bytes,
                                   LANESORT_MPI_STAGED);
}

int lanesort_mpi_takes_cuda_memory(void) { return mpi::takes_cuda_memory() ? 1 : 0; }
