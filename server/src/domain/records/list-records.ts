import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { paginationOf } from '../../procedures/fields/fields.ts'

interface Page {
  page: number
  limit: number
}
type Filter = string | number | null

/** A list of records `r` of a table, newest first. */
interface RecordList {
  /** The statement's. */
  name: string
  table: string
  /** Conditions by the name of the query parameter, with `?` for the value, and its type. */
  filters: Readonly<Record<string, { type: string; condition: string }>>
  /** SQL for a record as JSON. */
  json: string
}

/** Lists the records that meet the filters of the query, with their exact number. */
type Listing<Rec> = (
  db: Queryable,
  tenantId: number,
  query: Page & Readonly<Record<string, unknown>>,
) => Promise<{ records: Rec[]; pagination: ReturnType<typeof paginationOf> }>

/** The function that lists records. An empty page is one row with the total. */
export function listingOf<Rec>({ name, table, filters, json }: RecordList): Listing<Rec> {
  const conditions = Object.values(filters).map(({ type, condition }, index) => {
    const parameter = `$${index + 4}::${type}`
    return `(${parameter} is null or ${condition.replace('?', parameter)})`
  })
  const list = statement<
    [tenantId: number, offset: number, limit: number, ...filters: Filter[]],
    { total: number; record: Rec | null }
  >({
    name,
    lane: 'slow',
    sql: `with matching as not materialized (
     select r.id, r.created_at from ${table} r where r.tenant_id = $1 and ${conditions.join(' and ')}
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
