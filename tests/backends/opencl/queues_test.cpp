// SPDX-License-Identifier: MIT
// Random programs of calls: several sorters of one context, on several queues of either kind, ordered by events, by
// barriers or by the queue alone.
#include <algorithm>
#include <array>

#include "opencl_target.hpp"
#include "run_everywhere.hpp"

namespace lanesort::test {
namespace {

struct Queue {
    cl::CommandQueue queue;
    bool in_order;
};

/// A call that is made again and again on one buffer, and what each time left of it.
class Chain {
public:
    Chain(const OpenClTarget& target, const NamedProblem& named, cl::Event begin)
        : name(named.name),
          layout_(named.problem),
          buffer_(target.context, CL_MEM_READ_WRITE, layout_.before().size()),
          last_(std::move(begin)) {}

    /// Writes what is there before the call, makes the call and reads what it left, each on some queue.
    void enqueue(std::vector<Queue>& queues, std::vector<Sorter>& sorters, Random& random) {
        const std::size_t size = layout_.before().size();
        step(queues, random, [&](const cl::CommandQueue& queue, const std::vector<cl::Event>& waits, cl::Event& end) {
            queue.enqueueWriteBuffer(buffer_, CL_FALSE, 0, size, layout_.before().data(), &waits, &end);
        });
        step(queues, random, [&](const cl::CommandQueue& queue, const std::vector<cl::Event>& waits, cl::Event& end) {
            Sorter& sorter = sorters[random() % sorters.size()];
            const auto call = call_in<opencl::Memory>(buffer_(), layout_.call());
            if (random() % 3 == 0)
                recorded_.emplace_back(std::make_unique<opencl::Recorded>(sorter, queue(), call))->enqueue(waits, &end);
            else opencl::enqueue(sorter, queue(), call, waits, &end);
        });
        Bytes& found = *found_.emplace_back(std::make_unique<Bytes>(size));
        step(queues, random, [&](const cl::CommandQueue& queue, const std::vector<cl::Event>& waits, cl::Event& end) {
            queue.enqueueReadBuffer(buffer_, CL_FALSE, 0, size, found.data(), &waits, &end);
        });
    }

    void check() {
        last_.wait();
        for (const auto& found : found_) layout_.check(*found);
    }

    const std::string name;

private:
    /// Makes the next command follow the last one.
    template <class Enqueue>
    void step(std::vector<Queue>& queues, Random& random, const Enqueue& enqueue) {
        const std::size_t next = random() % 3 > 0 ? queue_ : random() % queues.size();
        const auto& [queue, in_order] = queues[next];
        std::vector<cl::Event> waits{last_};
        if (next == queue_ && begun_) {
            const auto way = random() % 3;
            if (in_order || way == 0) waits.clear();
            if (!in_order && way == 0) queue.enqueueBarrierWithWaitList();
        }
        cl::Event end;
        enqueue(queue, waits, end);
        last_ = std::move(end);
        queue_ = next;
        begun_ = true;
    }

    Layout layout_;
    cl::Buffer buffer_;
    cl::Event last_;
    std::size_t queue_ = 0;
    bool begun_ = false;
    std::vector<std::unique_ptr<opencl::Recorded>> recorded_;
    std::vector<std::unique_ptr<Bytes>> found_;
};

TEST_CASE("queues: random programs on several, in order and not, with several sorters") {
    Random random(seed());
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        std::vector<Queue> queues;
        for (int i = 0; i < 2; ++i) {
            queues.push_back({cl::CommandQueue(target.context, target.device), true});
            if (auto queue = out_of_order_queue(target)) queues.push_back({std::move(*queue), false});
        }
        std::vector<Sorter> sorters;
        for (int i = 0; i < 2; ++i) sorters.push_back(target.new_sorter());
        for (int program = 0; program < 8; ++program) {
            std::vector<NamedProblem> problems = problems_of_every_operation(program % 2 ? 300 : 5000, random);
            std::ranges::shuffle(problems, random);
            std::vector<cl::UserEvent> begins;
            std::vector<std::unique_ptr<Chain>> chains;
            for (std::size_t i = 0; i < 10; ++i) {
                begins.emplace_back(target.context);
                chains.push_back(std::make_unique<Chain>(target, problems[i], begins.back()));
            }
            for (int call = 0; call < 40; ++call) chains[random() % chains.size()]->enqueue(queues, sorters, random);
            for (const Queue& queue : queues) queue.queue.flush();
            std::ranges::shuffle(begins, random);
            for (cl::UserEvent& begin : begins) begin.setStatus(CL_COMPLETE);
            for (auto& chain : chains) {
                CAPTURE(chain->name);
                chain->check();
            }
        }
    }
}

}  // namespace
}  // namespace lanesort::test
