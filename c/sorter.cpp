// SPDX-License-Identifier: MIT
// lanesort/lanesort.h: sorters, and requests on host memory.
#include "arguments.hpp"

using namespace lanesort;
using namespace lanesort::c;

lanesort_status lanesort_create(lanesort_sorter** sorter, const char* selector, const lanesort_options* options) {
    return created(sorter, [&] { return Sorter(find_device(selector ? selector : ""), options_of(options)); });
}

void lanesort_destroy(lanesort_sorter* sorter) { delete sorter; }

const char* lanesort_device_name(const lanesort_sorter* sorter) {
    return sorter ? sorter->sorter.device().name.c_str() : "";
}

const char* lanesort_note(const lanesort_sorter* sorter) { return sorter ? sorter->sorter.note().c_str() : ""; }

lanesort_status lanesort_last_report(const lanesort_sorter* sorter, lanesort_report* report) {
    return guarded([&] {
        const SortReport& last = given(sorter, "the sorter")->sorter.last_report();
        *given(report, "the report") = {.launches = last.launches,
                                        .hand_overs = last.hand_overs,
                                        .barriers = last.barriers,
                                        .device_bytes = last.device_bytes,
                                        .upload_seconds = last.upload_seconds,
                                        .sort_seconds = last.sort_seconds,
                                        .download_seconds = last.download_seconds,
                                        .schedule = static_cast<lanesort_schedule>(last.schedule)};
    });
}

lanesort_status lanesort_run(lanesort_sorter* sorter, const lanesort_request* request) {
    return guarded([&] { sorter_of(sorter).run(CallOf(request).in<void*>()); });
}

lanesort_status lanesort_prepare(lanesort_sorter* sorter, const lanesort_request* request) {
    return guarded([&] { sorter_of(sorter).prepare(CallOf(request).request()); });
}

lanesort_status lanesort_release(lanesort_sorter* sorter) {
    return guarded([&] { sorter_of(sorter).release(); });
}

void lanesort_destroy_recorded(lanesort_recorded* recorded) { delete recorded; }
