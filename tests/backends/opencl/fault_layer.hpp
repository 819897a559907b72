// SPDX-License-Identifier: MIT
// Makes OpenCL calls fail, and counts them and the references that the program holds: a layer between the loader and
// the drivers, which the loader puts there if OPENCL_LAYERS names this library. Both in all threads.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace lanesort::test {

/// References to OpenCL objects by kind ("cl_mem", ...), those got by creating and retaining less those released.
std::map<std::string, long> references();

/// The calls of each entry point since the last fault was set; those that a fault met, too.
std::map<std::string, std::size_t> calls();

/// As long as it lives, calls fail with that status without reaching the driver. There is one at a time; setting one
/// starts the counts anew.
class Fault {
public:
    /// Counts only.
    Fault() : Fault("", 0, 0) {}
    /// The call of that entry point with that number, from 1 on. A function that has no status returns null.
    Fault(const std::string& entry_point, std::size_t number, int status);
    /// Every call but releases, from the one with that number on.
    static Fault lost_device(std::size_t number, int status) { return {"", number, status}; }
    ~Fault();
    Fault(const Fault&) = delete;
    Fault& operator=(const Fault&) = delete;
};

}  // namespace lanesort::test
