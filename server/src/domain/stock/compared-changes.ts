import { MAX_QUANTITY } from '../../procedures/fields/fields.ts'

// The parts of `applyStockChanges` that differ for changes with an `expected_quantity`. The level is compared where it is changed, under its
// lock and as it is then, by the upsert itself. So levels are locked in the same order as in every other change of stock, new ones among
// them. A level that is not what was expected is updated to what it is.
//
// A level that did not exist when the statement began was 0 then, so a change that expects anything else is refused without a lock.

/** The level of a row `c` when the statement began. */
const KNOWN_LEVEL = `left join lateral (
    select quantity from stock_levels where tenant_id = $1 and product_id = c.product_id and location_id = c.location_id limit 1
  ) v on true`

/** The changes of `source` that were made. */
const made = (source: string): string => `(select s.* from ${source} s join compared_change x using (position) where x.is_made)`

/** For changes that are each of another product. The expected quantity takes the place of the previous one in the row that is proposed. */
export const comparedApart = {
  made,
  amounts: {
    // A new level is expected to be 0, which it was.
    proposed: 'c.amount, c.expected_quantity',
    quantity:
      'case when stock_levels.quantity = excluded.previous_quantity then excluded.quantity else stock_levels.quantity end',
  },
  sql: (source: string) => ({
    inTurn: '',
    netChange: `select c.product_id, c.location_id, c.amount, c.expected_quantity, v.quantity as known_quantity from ${source} c ${KNOWN_LEVEL}`,
    isMade: `c.amount between 0 and ${MAX_QUANTITY} and (c.known_quantity is not null or c.expected_quantity = 0)`,
    compared: `compared_change as materialized (
  select c.position, coalesce(v.previous_quantity, n.known_quantity, 0) as found, coalesce(v.previous_quantity = c.expected_quantity, false) as is_made
  from ${source} c join net_change n using (product_id) left join changed_level v using (product_id)
), `,
  }),
}

/** For several changes of a level, each compared with what those before it left. */
export const comparedTogether = {
  made,
  amounts: {
    proposed: `case when c.known_quantity is null then ${leftOf('0', 'c')} else 0 end, 0`,
    quantity: leftOf('stock_levels.quantity', 'excluded'),
  },
  sql: (source: string) => ({
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
  select i.position, i.product_id, i.location_id, i.turn, coalesce(v.previous_quantity::numeric, 0) as found, ${isMade('i', 'coalesce(v.previous_quantity, 0)')} as is_made,
    case when ${isMade('i', 'coalesce(v.previous_quantity, 0)')} then i.amount else coalesce(v.previous_quantity, 0) end as left_quantity
  from change_in_turn i left join changed_level v using (product_id, location_id)
  where i.turn = 1
  union all
  select i.position, i.product_id, i.location_id, i.turn, c.left_quantity, ${isMade('i', 'c.left_quantity')},
    case when ${isMade('i', 'c.left_quantity')} then i.amount else c.left_quantity end
  from compared_change c
  join change_in_turn i on i.product_id = c.product_id and i.location_id = c.location_id and i.turn = c.turn + 1
), `,
  }),
}

/** CTEs that compare the changes of `source` with the levels as they are, and make none. They end with `compared_change`, as in `applyStockChanges`. */
export function comparedOnly(source: string): string {
  const { inTurn, netChange, isMade: isMadeAtAll, compared } = comparedTogether.sql(source)
  return `${inTurn}net_change as materialized (
  ${netChange}
), changed_level as (
  select product_id, location_id, known_quantity as previous_quantity from net_change c where ${isMadeAtAll}
), ${compared}`
}

function isMade(change: string, level: string): string {
  return `coalesce(${change}.expected_quantity = ${level}, true)`
}

/** SQL for what the changes of a level leave of the quantity `level`. */
function leftOf(level: string, row: string): string {
  return `(
    with recursive step as (
      select 0::bigint as turn, ${level}::numeric as quantity
      union all
      select i.turn, case when ${isMade('i', 's.quantity')} then i.amount else s.quantity end
      from step s
      join change_in_turn i on i.product_id = ${row}.product_id and i.location_id = ${row}.location_id and i.turn = s.turn + 1
    )
    select quantity from step order by turn desc limit 1
  )`
}
