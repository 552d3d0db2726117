import { MAX_QUANTITY } from '../../procedures/fields/fields.ts'
import { ABSOLUTE, apart, NO_SHORT_LEVELS, type StockChangeParts, together } from './stock-change-parts.ts'

// The parts of `applyStockChanges` for changes with an `expected_quantity`. The upsert itself compares the level: under its lock, as it is
// then. So levels, also new ones, are locked in the same order as by every other change of stock. A level that is not what was expected is
// updated to the quantity that it has.
//
// A level that did not exist when the statement began was 0 then, so a change that expects anything else is refused without a lock.

/** The level of a row `c` when the statement began. */
const KNOWN_LEVEL = `left join lateral (
    select quantity from stock_levels where tenant_id = $1 and product_id = c.product_id and location_id = c.location_id limit 1
  ) v on true`

/** The changes of `source` that were made. */
const made = (source: string): string => `(select s.* from ${source} s join compared_change x using (position) where x.is_made)`

/**
 * The parts of changes that are each of another product. The expected quantity takes the place of the previous one in the row that is
 * proposed.
 */
export function comparedApart(source: string): StockChangeParts {
  return {
    ...apart(made(source)),
    inTurn: '',
    netChange: `select c.product_id, c.location_id, c.amount, c.expected_quantity, v.quantity as known_quantity from ${source} c ${KNOWN_LEVEL}`,
    shortLevels: NO_SHORT_LEVELS,
    isMade: `c.amount between 0 and ${MAX_QUANTITY} and (c.known_quantity is not null or c.expected_quantity = 0)`,
    // A new level is expected to be 0, which it was.
    proposed: 'c.amount, c.expected_quantity',
    quantity:
      'case when stock_levels.quantity = excluded.previous_quantity then excluded.quantity else stock_levels.quantity end',
    compared: `compared_change as materialized (
  select c.position, coalesce(v.previous_quantity, n.known_quantity, 0) as found, coalesce(v.previous_quantity = c.expected_quantity, false) as is_made
  from ${source} c join net_change n using (product_id) left join changed_level v using (product_id)
), `,
  }
}

/** The parts of changes of which several may be of one level, each compared with what those before it left. */
export function comparedTogether(source: string): StockChangeParts {
  return {
    ...together(made(source), ABSOLUTE),
    ...comparison(source),
    shortLevels: NO_SHORT_LEVELS,
    proposed: `case when c.known_quantity is null then ${leftOf('0', 'c')} else 0 end, 0`,
    quantity: leftOf('stock_levels.quantity', 'excluded'),
  }
}

/** CTEs that compare the changes of `source` with the levels, and make none. Result: `compared_change`, as in `applyStockChanges`. */
export function comparedOnly(source: string): string {
  const { inTurn, netChange, isMade, compared } = comparison(source)
  return `${inTurn}net_change as materialized (
  ${netChange}
), changed_level as (
  select product_id, location_id, known_quantity as previous_quantity from net_change c where ${isMade}
), ${compared}`
}

/** The parts of `comparedTogether` that compare. */
function comparison(source: string): Pick<StockChangeParts, 'inTurn' | 'netChange' | 'isMade' | 'compared'> {
  return {
    inTurn: `change_in_turn as materialized (
  select position, product_id, location_id, amount, expected_quantity,
    row_number() over (partition by product_id, location_id order by position) as turn
  from ${source}
), `,
    netChange: `select c.product_id, c.location_id, c.amount, c.is_for_new, v.quantity as known_quantity
  from (
    select product_id, location_id, min(amount) as amount, bool_or(coalesce(expected_quantity, 0) = 0) as is_for_new
    from ${source} group by product_id, location_id
  ) c ${KNOWN_LEVEL}`,
    isMade: '(c.known_quantity is not null or c.is_for_new)',
    compared: `compared_change as (
  select i.position, i.product_id, i.location_id, i.turn, coalesce(v.previous_quantity::numeric, 0) as found, ${isExpected('i', 'coalesce(v.previous_quantity, 0)')} as is_made,
    case when ${isExpected('i', 'coalesce(v.previous_quantity, 0)')} then i.amount else coalesce(v.previous_quantity, 0) end as left_quantity
  from change_in_turn i left join changed_level v using (product_id, location_id)
  where i.turn = 1
  union all
  select i.position, i.product_id, i.location_id, i.turn, c.left_quantity, ${isExpected('i', 'c.left_quantity')},
    case when ${isExpected('i', 'c.left_quantity')} then i.amount else c.left_quantity end
  from compared_change c
  join change_in_turn i on i.product_id = c.product_id and i.location_id = c.location_id and i.turn = c.turn + 1
), `,
  }
}

/** SQL for whether the quantity `level` is what the row `change` expects, if anything. */
function isExpected(change: string, level: string): string {
  return `coalesce(${change}.expected_quantity = ${level}, true)`
}

/** SQL for what is left of the quantity `level` after its changes. `row` has the level's `product_id` and `location_id`. */
function leftOf(level: string, row: string): string {
  return `(
    with recursive step as (
      select 0::bigint as turn, ${level}::numeric as quantity
      union all
      select i.turn, case when ${isExpected('i', 's.quantity')} then i.amount else s.quantity end
      from step s
      join change_in_turn i on i.product_id = ${row}.product_id and i.location_id = ${row}.location_id and i.turn = s.turn + 1
    )
    select quantity from step order by turn desc limit 1
  )`
}
