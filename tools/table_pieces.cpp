// SPDX-License-Identifier: MIT
#include "table_pieces.hpp"

#include <utility>

TablePieces::TablePieces(std::string name, const TableOptions& options, TextTable::Read read,
                         std::vector<ColumnState>& states, std::size_t bytes, Background* background)
    : read_first_([=, name = std::move(name), read = std::move(read)] {
          return TextTable(name, options, read, background ? bytes / 2 : bytes);
      }),
      states_(states),
      background_(background) {
    if (background_) coming_ = background_->run([this] { read_next(); });
}

bool TablePieces::next() {
    if (coming_.is_under_way()) coming_.finish();
    else read_next();
    if (!has_next_) return false;
    now_ = next_;
    if (background_) {
        next_ = 1 - now_;
        coming_ = background_->run([this] { read_next(); });
    }
    return true;
}

void TablePieces::read_next() {
    Piece& next = pieces_[next_];
    next.keys = {};
    if (read_first_) next.table = std::exchange(read_first_, {})();
    else has_next_ = next.table.next_piece(pieces_[now_].table);
    if (has_next_) next.keys = next.table.read_piece(states_);
}
