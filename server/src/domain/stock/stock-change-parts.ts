import { MAX_QUANTITY } from '../../procedures/fields/fields.ts'

/**
 * The parts of `applyStockChanges` that depend on the kind of the changes. All are SQL. Aliases: a change, or the net change of a level, is
 * `c`, and a changed level `v`.
 */
export interface StockChangeParts {
  /** CTEs before all others, each with a comma after it. */
  inTurn: string
  /** The query of `net_change`: one row for each level, with `product_id`, `location_id`, `amount` and whatever else the parts below read. */
  netChange: string
  /** The query of `short_level`. */
  shortLevels: string
  /** Whether the level of the net change `c` is locked and changed. */
  isMade: string
  /** `quantity` and `previous_quantity` of the proposed row of stock_levels: a new level has them. */
  proposed: string
  /** `quantity` of a level that exists, where `excluded` is the proposed row. */
  quantity: string
  /** CTEs after `changed_level`, each with a comma after it. */
  compared: string
  /** The query of the changes of warehouse totals: `tenant_id`, `product_id`, `warehouse_id`, `quantity` and `unsellable`, in lock order. */
  warehouseChange: string
  /** How movements are read from changes, for `movementsOf`. */
  movement: string
  /** How movements are counted, for `movementsOf`. */
  counts: string
}

/** See `applyStockChanges`. */
export type Rows = 'together' | 'apart'

/** The parts that depend on `Rows`. */
type RowParts = Pick<StockChangeParts, 'netChange' | 'warehouseChange' | 'movement' | 'counts'>

/** Above the maximum of a level: the range check of stock_levels refuses it before the column can overflow. */
export const OUT_OF_RANGE = `${MAX_QUANTITY}.999`

/** The part of a change that is in a location that is not sellable. */
export const UNSELLABLE = 'case when sellable then 0 else quantity - previous_quantity end'

const CREATED_DAY = `(created_at at time zone 'UTC')::date`
const CREATED_HOUR = `date_trunc('hour', created_at, 'UTC')`
const CHANGE = 'new_quantity - previous_quantity'

/** The parts of changes whose `amount` is a difference. Those of one level have the same sign. */
export function relativeChanges(source: string, rows: Rows): StockChangeParts {
  return {
    ...(rows === 'apart' ? apart(source) : together(source, RELATIVE)),
    ...NOT_COMPARED,
    shortLevels: SHORT_LEVELS,
    isMade: IS_COVERED[rows],
    // An existing level is changed by "quantity - previous_quantity", because the proposed row must pass the range check even when it is not
    // the row stored.
    proposed: `least(greatest(c.amount, 0), ${OUT_OF_RANGE}), least(greatest(-c.amount, 0), ${OUT_OF_RANGE})`,
    quantity: `least(stock_levels.quantity + excluded.quantity - excluded.previous_quantity, ${OUT_OF_RANGE})`,
  }
}

/** The parts of changes whose `amount` is the new quantity. */
export function absoluteChanges(source: string, rows: Rows): StockChangeParts {
  return {
    ...(rows === 'apart' ? apart(source) : together(source, ABSOLUTE)),
    ...NOT_COMPARED,
    shortLevels: NO_SHORT_LEVELS,
    isMade: 'true',
    proposed: 'c.amount, 0',
    quantity: 'excluded.quantity',
  }
}

const NOT_COMPARED = { inTurn: '', compared: '' }

// Levels are never deleted, and this reads them as of the beginning of the statement: a refusal is right as of that time, and a level that
// passes still exists when it is locked.
const SHORT_LEVELS = `select c.product_id, c.location_id, coalesce(v.quantity, 0) as available
  from net_change c left join lateral (
    select quantity from stock_levels where tenant_id = $1 and product_id = c.product_id and location_id = c.location_id limit 1
  ) v on true
  where c.amount < 0 and coalesce(v.quantity, 0) + c.amount < 0`

/** Whether stock is not short for the net change `c`, or for any. */
const IS_COVERED: Readonly<Record<Rows, string>> = {
  apart: 'not exists (select from short_level s where s.product_id = c.product_id)',
  together: 'not exists (select from short_level)',
}

export const NO_SHORT_LEVELS = 'select product_id, location_id, amount as available from net_change where false'

/** What several changes of one level come to. `changes_of_level` is the window of these changes, by position. */
interface Amounts {
  /** Their net amount: an aggregate. */
  net: string
  /** The quantity before and after the change `c`. */
  previous: string
  current: string
}

const RELATIVE: Amounts = {
  net: 'sum(amount)',
  previous: 'v.previous_quantity + sum(c.amount) over changes_of_level - c.amount',
  current: 'v.previous_quantity + sum(c.amount) over changes_of_level',
}

export const ABSOLUTE: Amounts = {
  net: '(array_agg(amount order by position desc))[1]',
  previous: 'coalesce(lag(c.amount) over changes_of_level, v.previous_quantity)',
  current: 'c.amount',
}

/** The parts of changes `apart`. */
export function apart(source: string): RowParts {
  return {
    netChange: `select product_id, location_id, amount from ${source}`,
    warehouseChange: `select $1, product_id, warehouse_id, quantity - previous_quantity, ${UNSELLABLE} from changed_level
  where quantity <> previous_quantity order by product_id, warehouse_id`,
    movement: `v.previous_quantity, v.quantity as new_quantity, true as is_latest
    from ${source} c join changed_level v using (product_id)
    order by c.position`,
    counts: `select $1, ${CREATED_DAY}, ${CREATED_HOUR}, product_id, location_id, movement_type, 1, ${CHANGE} from stock_movement`,
  }
}

/** The parts of changes `together`. */
export function together(source: string, amounts: Amounts): RowParts {
  return {
    netChange: `select product_id, location_id, ${amounts.net} as amount from ${source} group by product_id, location_id`,
    warehouseChange: `select $1, product_id, warehouse_id, sum(quantity - previous_quantity), sum(${UNSELLABLE}) from changed_level
  group by product_id, warehouse_id having sum(quantity - previous_quantity) <> 0 or sum(${UNSELLABLE}) <> 0
  order by product_id, warehouse_id`,
    movement: `${amounts.previous} as previous_quantity, ${amounts.current} as new_quantity, lead(c.position) over changes_of_level is null as is_latest
    from ${source} c join changed_level v using (product_id, location_id)
    window changes_of_level as (partition by product_id, location_id order by c.position)
    order by c.position`,
    counts: `select $1, ${CREATED_DAY}, ${CREATED_HOUR}, product_id, location_id, movement_type, count(*), sum(${CHANGE}) from stock_movement
  group by 2, 3, 4, 5, 6`,
  }
}
