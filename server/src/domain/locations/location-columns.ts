/** The columns of a location in responses. */
export const LOCATION_COLUMNS = 'id, code, name, warehouse_id, pickable, sellable, pick_sequence'
