// The sub-commands: each adds itself, with its options, to the command line, and runs when it is chosen.
#pragma once

#include <stdexcept>

#include <CLI/CLI.hpp>

/// Something that the user can mend: an argument, or a file. what() is the sentence to show.
struct BadInput : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Something that no other argument mends, but perhaps another time or machine: a full disk, or memory. what() is the
/// sentence to show.
struct SystemFailure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What `check` finds. what() is the sentence that says where.
struct NotInOrder : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void add_argsort(CLI::App& app);
void add_check(CLI::App& app);
void add_devices(CLI::App& app);
void add_doctor(CLI::App& app);
void add_group(CLI::App& app);
void add_merge(CLI::App& app);
void add_plan(CLI::App& app);
void add_sort(CLI::App& app);
void add_stats(CLI::App& app);
void add_topk(CLI::App& app);
void add_tune(CLI::App& app);
