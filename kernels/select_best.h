/* The kernel of both ways to select. select_in_local.cl and select_in_registers.cl define what a work-group does with its
 * share, select_share(), and the local memory that this takes, LOCAL_TILE. */
KERNEL void select_best(GLOBAL key_t* keys, offset_t offset, index_t count, index_t share, uint parts, uint chunk_bits,
                        uint k, uint load_coding, uint store_coding, flip_t flip, GLOBAL key_t* best_keys,
                        offset_t best_offset NUMBERS_PARAMETERS) {
    AWAIT_LAST_LAUNCH();
    arrays_t arrays = {keys + offset AND_NUMBERS(numbers + numbers_offset)};
    source_t from = source_of(arrays, (uint)GROUP_ID / parts, count, chunk_bits, k, load_coding, flip);
    arrays_t selected = {best_keys + best_offset AND_NUMBERS(best_numbers + best_numbers_offset)};
    ADVANCE(selected, (offset_t)GROUP_ID * k)
    DECLARE_LOCAL_TILE(local_tile);
    select_share(local_tile, from, (index_t)((uint)GROUP_ID % parts) * share, share, selected, k, store_coding);
}
