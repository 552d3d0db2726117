import { statement, type Statement } from '../../database/statements/statement.ts'
import { recordsContaining, recordsContainingShort } from '../../database/statements/text-search.ts'
import type { ReservationStatus } from '../reservation-core/index.ts'
import {
  BEFORE,
  type Head,
  IN_STATES,
  type ListRow,
  type ListStatement,
  NEWEST_FIRST,
  RESERVING,
  selectPage,
  SINCE,
  type Variant,
} from './list-page.ts'

/** Filters whose value follows as `$8` and so on, in this order. */
export const FILTERS = ['assembly_date', 'assembly_until', 'order_tenant_id', 'customer_name'] as const
type Filter = (typeof FILTERS)[number]
/** In names of statements, of which Postgres reads 63 characters. */
const SHORT_NAMES = { assembly_date: 'date', assembly_until: 'until', order_tenant_id: 'identifier', customer_name: 'customer' }

type Search = typeof recordsContaining
const SEARCHED = { table: 'orders', texts: ['customer_name'], columns: ['id', 'created_at'] }

/** The conditions of filters, with their parameter. A `customer_name` is searched instead. */
const CONDITIONS: Readonly<Record<Exclude<Filter, 'customer_name'>, (parameter: string) => string>> = {
  assembly_date: (date) => `assembly_date = ${date}::date`,
  assembly_until: (date) => `assembly_date <= ${date}::date`,
  order_tenant_id: (identifier) => `order_tenant_id = ${identifier}`,
}

/** The CTEs `total` and `page` of the orders (id, created_at) that a CTE `matching` has found. */
const PAGE_OF_MATCHING = `total as materialized (
       select count(*) as total from matching
     ), page as materialized (
       select id from (select * from matching ${NEWEST_FIRST} limit 100 offset $5::bigint) o limit $6::bigint
     )`

/** A list by filters without counts: the matching orders are found and counted. `name` begins the name of its statement. */
function listMatching(variant: Variant, name: string, filters: readonly Filter[], search: Search): ListStatement {
  const parameterOf = (filter: Filter): string => `$${filters.indexOf(filter) + 8}`
  const compared = filters.filter((filter) => filter !== 'customer_name')
  const conditions = [
    IN_STATES,
    `created_at >= ${SINCE}`,
    `created_at < ${BEFORE}`,
    ...compared.map((filter) => CONDITIONS[filter](parameterOf(filter))),
  ]
  const source = filters.includes('customer_name')
    ? search(SEARCHED, `${parameterOf('customer_name')}::text`, conditions)
    : `orders where ${['tenant_id = $1', ...conditions].join(' and ')}`
  return statement({
    name: `${name}_${filters.map((filter) => SHORT_NAMES[filter]).join('_')}${variant.suffix}`,
    connection: 'read',
    sql: `with matching as materialized (
       select id, created_at from ${source}
     ), ${PAGE_OF_MATCHING}${selectPage(variant)}`,
  })
}

const BY_IDENTIFIER: readonly (readonly Filter[])[] = [
  ['order_tenant_id'],
  ['assembly_date', 'order_tenant_id'],
  ['assembly_until', 'order_tenant_id'],
]
const BY_NAME: readonly (readonly Filter[])[] = [
  ['customer_name'],
  ['order_tenant_id', 'customer_name'],
  ['assembly_date', 'customer_name'],
  ['assembly_date', 'order_tenant_id', 'customer_name'],
  ['assembly_until', 'customer_name'],
  ['assembly_until', 'order_tenant_id', 'customer_name'],
]

/** A list for every combination of filters without counts, by the names of its filters. */
export const listsMatching = (variant: Variant): ReadonlyMap<string, ListStatement> =>
  listsBy(variant, 'find_orders', [...BY_IDENTIFIER, ...BY_NAME], recordsContaining)

/** The same for a `customer_name` that is too short for the index. */
export const listsMatchingShort = (variant: Variant): ReadonlyMap<string, ListStatement> =>
  listsBy(variant, 'find_orders_short', BY_NAME, recordsContainingShort)

function listsBy(
  variant: Variant,
  name: string,
  combinations: readonly (readonly Filter[])[],
  search: Search,
): ReadonlyMap<string, ListStatement> {
  return new Map(combinations.map((filters) => [filters.join(), listMatching(variant, name, filters, search)]))
}

/** A filter that is not given is null. */
export type ReservedValues = [
  ...Head,
  assemblyDate: string | null,
  assemblyUntil: string | null,
  orderTenantId: string | null,
  customerName: string | null,
]

/** Open orders by their reservation status, while the tenant reserves: found among the sums of their reservations, and counted. */
function listReserved(status: ReservationStatus): Statement<ReservedValues, ListRow> {
  return statement({
    name: `find_orders_${status}`,
    connection: 'slow',
    sql: `with matching as materialized (
       select o.id, o.created_at from order_reservation_sums r cross join lateral (
         select id, created_at, state_id, assembly_date, order_tenant_id, customer_name from orders where tenant_id = $1 and id = r.order_id limit 1
       ) o
       where r.tenant_id = $1 and r.backordered ${status === 'backordered' ? '>' : '='} 0 and ${IN_STATES} and created_at >= ${SINCE} and created_at < ${BEFORE}
         and ($8::date is null or assembly_date = $8) and ($9::date is null or assembly_date <= $9) and ($10::text is null or order_tenant_id = $10)
         and ($11::text is null or strpos(fold_case(customer_name), (select fold_case($11))) > 0)
     ), ${PAGE_OF_MATCHING}${selectPage(RESERVING)}`,
  })
}

/** Lists by `reservation_status`. */
export const LIST_RESERVED = { reserved: listReserved('reserved'), backordered: listReserved('backordered') }
