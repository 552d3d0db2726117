import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { PRODUCT_OF_LINE, lineTexts, type ReceivingKind, recordJson } from './kind.ts'

/** Records with more lines are read on a `slow` connection: on the shared ones they would hold up other requests. */
const FEW_LINES = 100

/** SQL for the JSON of a record `r` with its lines. */
export const jsonWithLines = (kind: ReceivingKind): string =>
  recordJson(
    kind,
    `(
     select ${lineTexts(kind)} from ${kind.tables.lines} l ${PRODUCT_OF_LINE} where l.tenant_id = $1 and l.record_id = r.id
   )`,
  )

/** The function that reads a record of a kind with its lines. Throws `not_found`. */
export function readingOf<Rec>(kind: ReceivingKind) {
  const { records } = kind.tables
  const short = statement<[tenantId: number, recordId: number], { record: Rec | null }>({
    name: `get_${kind.name}`,
    connection: 'read',
    sql: `select case when r.line_count <= ${FEW_LINES} then ${jsonWithLines(kind)} end as record
   from ${records} r where r.tenant_id = $1 and r.id = $2`,
  })
  const long = statement<[tenantId: number, recordId: number], { record: Rec }>({
    name: `get_long_${kind.name}`,
    connection: 'slow',
    // A record has at least one line.
    notNull: ['record'],
    sql: `select ${jsonWithLines(kind)} as record from ${records} r where r.tenant_id = $1 and r.id = $2`,
  })
  return async (db: Queryable, tenantId: number, recordId: number): Promise<Rec> => {
    const found = await db.runOne(short, [tenantId, recordId])
    if (found === undefined) throw recordNotFound(kind)
    return found.record ?? ((await db.runOne(long, [tenantId, recordId])) as { record: Rec }).record
  }
}

/** The error for a record that the tenant does not have. */
export function recordNotFound({ noun }: Pick<ReceivingKind, 'noun'>): ServiceError {
  return new ServiceError('not_found', `No ${noun} has this id`)
}
