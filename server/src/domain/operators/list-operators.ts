import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { paginationOf } from '../../procedures/fields/fields.ts'
import { operatorColumns } from './operator-columns.ts'
import { listOperatorsInput, listOperatorsOutput, type Operator } from './schemas.ts'

/** An empty page is one row of nulls and the total. */
type Row = { total: number } & (Operator | { [Column in keyof Operator]: null })

const selectOperators = statement<[tenantId: number, offset: number, limit: number], Row>({
  name: 'list_operators',
  connection: 'slow',
  sql: `with total as materialized (
     select count(*) as total from operators where tenant_id = $1
   ), page as materialized (
     select * from operators where tenant_id = $1 order by fold_case(name), id limit $3::bigint offset $2::bigint
   )
   select t.total, p.id, p.name, p.email, p.may_change_stock, p.is_active, p.has_badge, p.last_active_at, p.created_at
   from total t left join lateral (select ${operatorColumns('page')} from page) p on true
   order by fold_case(p.name), p.id`,
})

/** Lists operators by name, with their exact number. */
export const listOperators = endpoint({
  name: 'operators.list',
  scope: 'admin',
  method: 'GET',
  path: '/operators',
  summary: 'List operators',
  description: 'All operators, including inactive ones, ordered by name. `total` is exact.',
  isAddition: true,
  input: listOperatorsInput,
  output: listOperatorsOutput,
  run: async ({ db, caller }, query) => {
    const rows = await db.run(selectOperators, [caller.tenantId, (query.page - 1) * query.limit, query.limit])
    const operators: Operator[] = []
    for (const { total: _, ...row } of rows) if (row.id !== null) operators.push(row)
    return { operators, pagination: paginationOf(query, rows[0]?.total ?? 0) }
  },
})
