// A stream of the library's own, with memory, for works and the copies around them.
#pragma once

#include <list>
#include <memory>
#include <optional>

#include "../../lib/src/core/backend.hpp"
#include "memory.hpp"
#include "staging.hpp"

namespace lanesort::cu {

class StreamLane final : public detail::Lane {
public:
    /// Large rows of pageable memory are staged, so one thread at a time uses the lanes of a host.
    StreamLane(CUcontext context, Staging& staging);
    ~StreamLane() override;

    void* allocate(std::uint64_t bytes) override;
    void upload(const detail::Rows& from, const detail::Binding& to) override;
    void download(const detail::Binding& from, const detail::Rows& to) override;
    void run(const detail::Work& work, const detail::Bindings& bindings) override;
    std::shared_ptr<const detail::LaneEnd> end() override;
    void await(const detail::LaneEnd& end) override;

private:
    CUcontext context_;
    Staging& staging_;
    std::list<DeviceMemory> memory_;
    std::optional<OwnStream> stream_;
};

}  // namespace lanesort::cu
