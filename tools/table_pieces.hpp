// SPDX-License-Identifier: MIT
// A table that is read piece by piece.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "background.hpp"
#include "text_table.hpp"

/// Pieces of a table, one after the other, with their keys. With a Background, the next one is read there while one is
/// used: then two of them are in memory.
class TablePieces {
public:
    /// Together they take about so many bytes. The states, which outlive it, are those of the pieces that were read.
    TablePieces(std::string name, const TableOptions& options, TextTable::Read read, std::vector<ColumnState>& states,
                std::size_t bytes, Background* background);
    TablePieces(const TablePieces&) = delete;
    TablePieces& operator=(const TablePieces&) = delete;

    /// Goes on to the next piece; false where there is none. There is a first one in any case. Throws as
    /// TextTable::read_piece does.
    bool next();

    /// Of the piece that it went on to.
    const TextTable& table() const noexcept { return pieces_[now_].table; }
    TableKeys& keys() noexcept { return pieces_[now_].keys; }
    const TableKeys& keys() const noexcept { return pieces_[now_].keys; }

private:
    struct Piece {
        TextTable table;
        TableKeys keys;
    };

    void read_next();

    std::function<TextTable()> read_first_;
    std::vector<ColumnState>& states_;
    Background* background_;
    std::array<Piece, 2> pieces_;
    std::size_t now_ = 1, next_ = 0;  ///< of pieces_: which is used, and where the next one goes
    bool has_next_ = true;
    Task coming_;
};
