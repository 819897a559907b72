// mpi.hpp and lanesort_mpi.h: the calls on the ranks of a communicator.
#include <exception>
#include <optional>

#include <lanesort/lanesort_mpi.h>
#include <lanesort/mpi.hpp>

#include "arguments.hpp"  // of c/
#include "calls.hpp"
#include "communicator.hpp"

namespace lanesort::mpi {

void sort(MPI_Comm communicator, Sorter& sorter, Keys keys, const Options& options) {
    Communicator ranks(communicator);
    sort(ranks, sorter, keys, nullptr, options);
}

void sort_by_key(MPI_Comm communicator, Sorter& sorter, Keys keys, Values values, const Options& options) {
    Communicator ranks(communicator);
    sort(ranks, sorter, keys, &values, options);
}

void argsort(MPI_Comm communicator, Sorter& sorter, ConstKeys keys, Indices indices, const Options& options) {
    Communicator ranks(communicator);
    argsort(ranks, sorter, keys, indices, options);
}

void top_k(MPI_Comm communicator, Sorter& sorter, ConstKeys keys, Results best, const Options& options) {
    top_k(communicator, sorter, keys, best, Indices(nullptr, 0, 0), options);
}

void top_k(MPI_Comm communicator, Sorter& sorter, ConstKeys keys, Results best, Indices indices,
           const Options& options) {
    Communicator ranks(communicator);
    top_k(ranks, sorter, keys, best, indices, options);
}

}  // namespace lanesort::mpi

lanesort_status lanesort_mpi_run(lanesort_sorter* sorter, MPI_Comm communicator, const lanesort_request* request,
                                 size_t piece_bytes) {
    using namespace lanesort;
    return c::guarded([&] {
        mpi::Communicator ranks(communicator);
        std::optional<c::CallOf> call;
        mpi::Attempts attempt;
        attempt([&] {
            c::sorter_of(sorter);
            call.emplace(request);
        });
        // The other ranks wait for what this one has to say.
        if (attempt.failure()) mpi::refuse(ranks, attempt.failure());
        else
            mpi::run(ranks, c::sorter_of(sorter), call->in<void*>(),
                     piece_bytes > 0 ? piece_bytes : mpi::Options{}.piece_bytes);
    });
}
