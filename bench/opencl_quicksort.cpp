// SPDX-License-Identifier: MIT
// Quicksort by partition with bitonic leaves. The host drives it level by level: no kernel launches another or waits.
#include <algorithm>
#include <utility>

#include "opencl_trial.hpp"

namespace lanesort::bench {
namespace {

constexpr std::size_t leaf = 1024;        ///< the most keys that a bitonic sort in local memory finishes
constexpr std::size_t keys_per_item = 8;  ///< of a chunk, in each level

/// Keys begin .. end - 1 of the array; the layout of a uint2.
struct Segment {
    cl_uint begin, end;
    std::size_t size() const { return end - begin; }
};

class Quicksort final : public OpenClTrial {
public:
    static std::string refusal(const OpenClDevice&, const Problem& problem) {
        if (problem.rows() != 1) return "sorts one range";
        if (problem.type == KeyType::f32 || problem.type == KeyType::f64) return "would take -0 and 0 for the same key";
        return problem.count > std::size_t{1} << 31 ? "sorts at most 2^31 keys" : "";
    }

    Quicksort(const OpenClDevice& device, const Input& input)
        : OpenClTrial(device, input),
          items_(std::min<std::size_t>(256, device.max_work_items())),
          chunk_(items_ * keys_per_item),
          program_(device.build({"bitonic_in_local.h", "quicksort.cl"}, options(input.problem().type))),
          choose_pivots_(program_, "choose_pivots"),
          part_(program_, "part"),
          place_equal_(program_, "place_equal"),
          sort_leaves_(program_, "sort_leaves") {
        const std::size_t count = input.problem().count, most_segments = count / leaf + 1;
        second_ = buffer(input.keys().size());
        segments_ = buffer(most_segments * sizeof(Segment));
        leaves_ = buffer(2 * most_segments * sizeof(Segment));
        chunks_ = buffer((count / chunk_ + most_segments) * sizeof(cl_uint2));
        counts_ = buffer(most_segments * sizeof(cl_uint2));
        pivots_ = buffer(most_segments * key_bytes(input.problem().type));
    }

private:
    std::string options(KeyType type) const {
        return key_options(type) + "-DITEMS=" + std::to_string(items_) + " -DCHUNK=" + std::to_string(chunk_) +
               " -DLEAF=" + std::to_string(leaf);
    }

    cl::Buffer buffer(std::size_t bytes) {
        extra_bytes_ += bytes;
        return device_.buffer(bytes);
    }

    void enqueue(Cost& cost) override {
        launches_ = 0;
        std::vector<Segment> segments{{0, static_cast<cl_uint>(input_.problem().count)}};
        const cl::Buffer *from = &keys_, *to = &second_;
        while (!segments.empty()) {
            const auto leaves = std::ranges::partition(segments, [](const Segment& s) { return s.size() > leaf; });
            if (!leaves.empty()) enqueue_leaves(*from, leaves);
            segments.erase(leaves.begin(), leaves.end());
            if (!segments.empty()) segments = parted(segments, *from, *to);
            std::swap(from, to);
        }
        cost = {launches_, std::nullopt, extra_bytes_};
    }

    void enqueue_leaves(const cl::Buffer& from, std::span<const Segment> leaves) {
        queue().enqueueWriteBuffer(leaves_, CL_TRUE, 0, leaves.size_bytes(), leaves.data());
        launch(sort_leaves_, cl::NDRange(leaves.size() * items_), cl::NDRange(items_), from, keys_, leaves_);
    }

    /// Enqueues one level, waits for its counts, and gives the segments of the next one.
    std::vector<Segment> parted(std::span<const Segment> segments, const cl::Buffer& from, const cl::Buffer& to) {
        std::vector<cl_uint2> chunks;
        for (cl_uint segment = 0; segment < segments.size(); ++segment)
            for (std::size_t begin = segments[segment].begin; begin < segments[segment].end; begin += chunk_)
                chunks.push_back({{segment, static_cast<cl_uint>(begin)}});
        queue().enqueueWriteBuffer(segments_, CL_FALSE, 0, segments.size_bytes(), segments.data());
        queue().enqueueWriteBuffer(chunks_, CL_FALSE, 0, chunks.size() * sizeof(cl_uint2), chunks.data());
        launch(choose_pivots_, segments.size(), cl::NullRange, from, segments_, pivots_, counts_);
        launch(part_, chunks.size() * items_, items_, from, to, segments_, pivots_, chunks_, counts_);
        launch(place_equal_, chunks.size() * items_, items_, keys_, segments_, pivots_, chunks_, counts_);
        std::vector<cl_uint2> counts(segments.size());
        queue().enqueueReadBuffer(counts_, CL_TRUE, 0, counts.size() * sizeof(cl_uint2), counts.data());

        std::vector<Segment> next;
        for (std::size_t i = 0; i < segments.size(); ++i) {
            const cl_uint smaller = counts[i].s[0], larger = counts[i].s[1];
            if (smaller > 0) next.push_back({segments[i].begin, segments[i].begin + smaller});
            if (larger > 0) next.push_back({segments[i].end - larger, segments[i].end});
        }
        return next;
    }

    template <class... Arguments>
    void launch(cl::Kernel& kernel, cl::NDRange global, cl::NDRange local, const Arguments&... arguments) {
        cl_uint index = 0;
        (kernel.setArg(index++, arguments), ...);
        queue().enqueueNDRangeKernel(kernel, cl::NullRange, global, local);
        ++launches_;
    }

    std::uint64_t extra_bytes_ = 0, launches_ = 0;
    std::size_t items_, chunk_;
    cl::Program program_;
    cl::Kernel choose_pivots_, part_, place_equal_, sort_leaves_;
    cl::Buffer second_, segments_, leaves_, chunks_, counts_, pivots_;
};

}  // namespace

Candidates opencl_quicksort_peers(const cl::Device& device, const std::shared_ptr<const Memory>& memory) {
    return {opencl_candidate<Quicksort>("quicksort", device, memory)};
}

}  // namespace lanesort::bench
