// SPDX-License-Identifier: MIT
// Words in a row.
#pragma once

#include <span>
#include <string>
#include <string_view>

/// The words, with the separator between them. As fmt::join makes, which takes much longer to compile.
inline std::string join(std::span<const std::string> words, std::string_view separator) {
    std::string text;
    for (const std::string& word : words) {
        if (&word != words.data()) text += separator;
        text += word;
    }
    return text;
}
