import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { OPEN_STATES, type ReceivingKind } from './kind.ts'
import { recordNotFound } from './read-record.ts'

type Value = string | boolean | null
/** The new values by column. A column that is not given is undefined, and stays. */
type Changes = Readonly<Record<string, Value | undefined>>

/**
 * The function that changes fields of a record of a kind. When it is over, only `note` changes. Throws `not_found`, and the error of the kind
 * when the record is over and anything else is given.
 */
export function updatingOf(kind: ReceivingKind) {
  const types: Record<string, string> = { note: 'text', ...kind.changeable }
  const columns = Object.keys(types)
  // $3: whether only the note is given. Then, for each column, whether it is given, and its value.
  const valueOf = (column: string, index: number): string =>
    `case when $${2 * index + 4}::boolean then $${2 * index + 5}::${types[column]} else o.${column} end`
  const update = statement<
    [tenantId: number, recordId: number, onlyNote: boolean, ...rest: Value[]],
    { state: string; is_over: boolean }
  >({
    name: `update_${kind.name}`,
    connection: 'write',
    sql: `with locked as materialized (
     select * from ${kind.tables.records} where tenant_id = $1 and id = $2 for no key update
   ), next as materialized (
     select id, ${columns.map((column, index) => `${valueOf(column, index)} as ${column}`).join(', ')}
     from locked o where $3::boolean or state in ${OPEN_STATES}
   ), changed as (
     update ${kind.tables.records} r set ${columns.map((column) => `${column} = n.${column}`).join(', ')}, updated_at = clock_timestamp()
     from next n where r.tenant_id = $1 and r.id = $2
       and (${columns.map((column) => `r.${column}`).join(', ')}) is distinct from (${columns.map((column) => `n.${column}`).join(', ')})
   )
   select state, state not in ${OPEN_STATES} as is_over from locked`,
  })
  return async (db: Queryable, tenantId: number, id: number, changes: Changes): Promise<void> => {
    const onlyNote = columns.every((column) => column === 'note' || changes[column] === undefined)
    const values = columns.flatMap((column) => [changes[column] !== undefined, changes[column] ?? null])
    const row = await db.runOne(update, [tenantId, id, onlyNote, ...values])
    if (row === undefined) throw recordNotFound(kind)
    if (row.is_over && !onlyNote)
      throw new ServiceError(kind.errorCode, `The ${kind.noun} is ${row.state}: only its note can be changed`)
  }
}
