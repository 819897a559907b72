// SPDX-License-Identifier: MIT
/// @file
/// The files that hold measured shapes and limits, and where sorters look for those of `lanesort tune`.
#pragma once

#include <filesystem>
#include <string>

#include <lanesort/device.hpp>
#include <lanesort/shape_table.hpp>

namespace lanesort::inline v0_1 {

/// Returns the table as a file holds it: lines for the version, the device, each row and each limit of a
/// distribution, and one that says `end`.
std::string to_text(const ShapeTable& table);

/// Reads a file of that form, and returns its table. It may have been made for another device, as long as `device` can
/// run its shapes.
///
/// Errors: Error(invalid_argument) that names the file, and the line where there is one, for a file that cannot be
/// read, is not of this form and version, or has a shape that is impossible or does not fit the device.
ShapeTable read_shape_file(const std::filesystem::path& file, const DeviceInfo& device);

/// Returns the file where sorters look for the shapes of a device: in $XDG_CACHE_HOME/lanesort, or in
/// $HOME/.cache/lanesort where XDG_CACHE_HOME is not an absolute path. Empty where HOME is not one either, and where
/// LANESORT_TUNED is 0 in the environment. Neither the file nor its folder need exist.
std::filesystem::path tuned_file(const DeviceInfo& device);

/// What tuned_file() holds.
struct TunedShapes {
    ShapeTable table;  ///< is empty where there is no file or it is of no use
    std::string note;  ///< why a file that is there is of no use, for a person; empty where all is well
};

/// Reads tuned_file(), and returns its table. A file that read_shape_file would refuse, or that was made for another
/// device or driver, is of no use; that is never an error.
TunedShapes find_tuned(const DeviceInfo& device);

}  // namespace lanesort::inline v0_1
