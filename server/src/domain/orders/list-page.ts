import type { Statement } from '../../database/statements/statement.ts'
import { LINES_OF_PIECE } from '../../procedures/pieces-of-lines.ts'
import { ORDER_STATES } from '../order-states/index.ts'
import { type OrderReservations, orderReservations } from '../reservation-core/index.ts'
import { orderDetail } from './order-detail.ts'
import type { OrderList } from './schemas.ts'

// What the statements of all lists have in common: their parameters, their rows and their SQL.

type Listed = OrderList['orders'][number]
/** Fields that no statement has. */
type Shown = 'state_name' | 'reservation_status' | 'shipment_status'

/** An order of the page. An empty page has one row of nulls and the total. Plain lists have no `reservations`. */
export type ListRow = { total: number; has_shipments: boolean | null; reservations?: OrderReservations | null } & (
  | { [Column in keyof Omit<Listed, Shown>]-?: null }
  | (Omit<Listed, Shown | 'order_detail'> & {
      order_detail: NonNullable<Listed['order_detail']> | null
    })
)

/** The parameters of every list. `startDate` and `endDate` are days of creation. */
export type Head = [
  tenantId: number,
  stateIds: readonly number[],
  startDate: string | null,
  endDate: string | null,
  offset: number,
  limit: number,
  includeDetails: boolean,
]
export type ListValues = [...Head, ...filters: string[]]
export type ListStatement = Statement<ListValues, ListRow>

export const IN_STATES = 'state_id = any ($2::smallint[])'
/** The period in which orders were created: from `SINCE` on, and before `BEFORE`. */
export const SINCE = `coalesce($3::date::timestamp at time zone 'UTC', '-infinity')`
export const BEFORE = `coalesce(($4::date + 1)::timestamp at time zone 'UTC', 'infinity')`
export const NEWEST_FIRST = 'order by created_at desc, id desc'
export const OLDEST_FIRST = 'order by created_at, id'

/** What differs between lists with reservations and without. */
export interface Variant {
  /** Of the names of its statements. */
  suffix: string
  /** SQL for further columns of an order `o`, after a comma. `withLines` is SQL for whether they are also about its lines. */
  columns: (withLines: string) => string
}

/** For tenants that do not reserve. What a statement costs grows with its plan, also where that finds nothing. */
export const PLAIN: Variant = { suffix: '', columns: () => '' }
/** For all tenants. */
export const RESERVING: Variant = {
  suffix: '_reserving',
  columns: (withLines) => `, ${orderReservations('o.id', withLines)} as reservations`,
}

/** Whether lines are included: unless they are sent in pieces. */
const WITH_LINES = `$7::boolean and sum(o.items_count) over () <= ${LINES_OF_PIECE}`
const LINES = `case when ${WITH_LINES} then ${orderDetail('o.id')} end`
/** For a statement that never includes lines. It must mention its parameter. */
const NO_LINES = 'case when $7::boolean then null::json end'

interface PageOptions {
  /** SQL without which there is no row, not even the total. */
  condition?: string
  /** Whether the page may have lines. */
  mayHaveLines?: boolean
}

/**
 * The result rows from the CTEs `total` and `page` (id). Only the orders of the page are read as rows; all others in an index. The array
 * makes it a lookup by id in any plan, even a plan made on an empty table.
 */
export function selectPage({ columns }: Variant, { condition = 'true', mayHaveLines = true }: PageOptions = {}): string {
  return `
   select t.total, o.id, o.order_tenant_id, o.state_id, o.assembly_date, o.customer_name, o.items_count, o.created_at, o.updated_at, o.has_shipments,
     ${mayHaveLines ? LINES : NO_LINES} as order_detail${columns(mayHaveLines ? WITH_LINES : 'false')}
   from total t left join orders o on o.tenant_id = $1 and o.id = any (array(select id from page))
   where ${condition}
   order by o.created_at desc, o.id desc`
}

/**
 * The tenant's orders that meet a condition. The index holds the orders of each state in list order; they are merged, and each state is
 * read only as far as needed.
 */
export function ordersOfStates(condition: string, since: string, before: string, limit: string, order = NEWEST_FIRST): string {
  const states = Object.values(ORDER_STATES).map(
    (state) => `
         (select id, created_at from orders
          where tenant_id = $1 and ${condition} and state_id = ${state} and ${state} = any ($2::smallint[]) and created_at >= ${since} and created_at < ${before}
          ${order} ${limit})`,
  )
  return `(${states.join(' union all ')}
         )`
}
