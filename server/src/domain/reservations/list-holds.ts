import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { paginationOf } from '../../procedures/fields/fields.ts'
import { HOLD_COLUMNS, HOLD_STATE } from './hold-columns.ts'
import { type Hold, listHoldsInput, listHoldsOutput } from './schemas.ts'

/** An empty page is one row of nulls and the total. */
type Row = { total: number } & (Hold | { [Column in keyof Hold]: null })
type Values = [tenantId: number, offset: number, limit: number, state: string | undefined, reference: string | undefined]

/** By reference there are few, found by their own index. */
function list(name: string, ofReference: string) {
  return statement<Values, Row>({
    name,
    connection: 'slow',
    sql: `with matching as not materialized (
     select h.id, h.created_at from holds h where h.tenant_id = $1 and ($4::text is null or ${HOLD_STATE} = $4) and ${ofReference}
   ), total as materialized (
     select count(*) as total from matching
   ), page as materialized (
     select * from matching order by created_at desc, id desc limit $3::bigint offset $2::bigint
   )
   select t.total, ${HOLD_COLUMNS}
   from total t left join holds h on h.tenant_id = $1 and h.id = any (array(select id from page))
   order by h.created_at desc, h.id desc`,
  })
}

const LISTS = {
  all: list('list_holds', '$5::text is null'),
  ofReference: list('list_holds_of_reference', 'h.reference = $5::text'),
}

/** Holds, newest first. */
export const listHolds = endpoint({
  name: 'holds.list',
  scope: 'read:orders',
  method: 'GET',
  path: '/holds',
  summary: 'List holds',
  description: 'Newest first. Filters can be combined. `total` is exact.',
  isAddition: true,
  input: listHoldsInput,
  output: listHoldsOutput,
  run: async ({ db, caller }, { page, limit, state, reference }) => {
    const values: Values = [caller.tenantId, (page - 1) * limit, limit, state, reference]
    const rows = await db.run(LISTS[reference === undefined ? 'all' : 'ofReference'], values)
    const holds: Hold[] = []
    for (const { total: _, ...row } of rows) if (row.id !== null) holds.push(row)
    return { holds, pagination: paginationOf({ page, limit }, rows[0]?.total ?? 0) }
  },
})
