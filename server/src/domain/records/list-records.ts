import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { paginationOf } from '../../procedures/fields/fields.ts'

interface Page {
  page: number
  limit: number
}
export type Filter = string | number | null

/** Conditions on a record `r` by the name of the query parameter, with `?` for the value, and its type. */
export type RecordFilters = Readonly<Record<string, { type: string; condition: string }>>

/** A list of records `r` of a table, newest first. */
interface RecordList {
  /** The statement's. */
  name: string
  table: string
  filters: RecordFilters
  /** A filter that every call has: its index is then used, also by a plan for any values. */
  required?: string | undefined
  /** SQL for a record as JSON. */
  json: string
}

/** Lists the records that meet the filters of the query, with their exact number. */
type Listing<Rec> = (
  db: Queryable,
  tenantId: number,
  query: Page & Readonly<Record<string, unknown>>,
) => Promise<{ records: Rec[]; pagination: ReturnType<typeof paginationOf> }>

/**
 * SQL for the conditions of filters whose parameters begin with that of the number `first`. Null is no filter, except of `required`, which every
 * call has.
 */
export function conditionsOf(filters: RecordFilters, first: number, required?: string): string {
  const conditions = Object.entries(filters).map(([filter, { type, condition }], index) => {
    const parameter = `$${index + first}::${type}`
    const isMet = condition.replace('?', parameter)
    return filter === required ? isMet : `(${parameter} is null or ${isMet})`
  })
  return conditions.join(' and ')
}

/** The function that lists records. An empty page is one row with the total. */
export function listingOf<Rec>({ name, table, filters, required, json }: RecordList): Listing<Rec> {
  const list = statement<
    [tenantId: number, offset: number, limit: number, ...filters: Filter[]],
    { total: number; record: Rec | null }
  >({
    name,
    connection: 'slow',
    sql: `with matching as not materialized (
     select r.id, r.created_at from ${table} r where r.tenant_id = $1 and ${conditionsOf(filters, 4, required)}
   ), total as materialized (
     select count(*) as total from matching
   ), page as materialized (
     select id from matching order by created_at desc, id desc limit $3::bigint offset $2::bigint
   )
   select t.total, case when r.id is not null then ${json} end as record
   from total t left join ${table} r on r.tenant_id = $1 and r.id = any (array(select id from page))
   order by r.created_at desc, r.id desc`,
  })
  const names = Object.keys(filters)
  return async (db, tenantId, query) => {
    const given = names.map((filter) => (query[filter] as Filter | undefined) ?? null)
    const rows = await db.run(list, [tenantId, (query.page - 1) * query.limit, query.limit, ...given])
    return {
      records: rows.flatMap(({ record }) => (record === null ? [] : [record])),
      pagination: paginationOf(query, rows[0]?.total ?? 0),
    }
  }
}
