/* The kernel of both ways to select. select_in_local.cl and select_in_registers.cl define what a work-group does with its
 * share, select_share(), and the local memory that this takes, LOCAL_TILE. */
KERNEL void select_best(GLOBAL key_t* keys, offset_t offset, position_t count, position_t share, uint parts, uint bucket_bits,
                        uint k, uint load_coding, uint store_coding, flip_t flip, GLOBAL key_t* best_keys,
                        offset_t best_offset INDICES_PARAMETERS) {
    AWAIT_LAST_LAUNCH();
    arrays_t arrays = {keys + offset AND_INDICES(indices + indices_offset)};
    source_t from = source_of(arrays, (uint)GROUP_ID / parts, count, bucket_bits, k, load_coding, flip);
    arrays_t selected = {best_keys + best_offset AND_INDICES(best_indices + best_indices_offset)};
    ADVANCE(selected, (offset_t)GROUP_ID * k)
    DECLARE_LOCAL_TILE(local_tile);
    select_share(local_tile, from, (position_t)((uint)GROUP_ID % parts) * share, share, selected, k, store_coding);
}
