import { createHash } from 'node:crypto'
import type { Queryable } from '../../database/database.ts'
import { statement, type Statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'

/** What the first call of a reference sent, twice. A later call is a repeat when one of the two is equal. */
export interface Content {
  /** SHA-256 of the input: equal for ever, whatever happens to the products that it names. */
  sent: Buffer
  /** SHA-256 with products and orders as the records that they name: equal for other names of the same records. */
  meant: Buffer
}

/** Finds the record with a reference. */
type FindReference = Statement<
  [tenantId: number, reference: string, sent: Buffer, meant: Buffer],
  { id: number; is_same: boolean }
>

/** The hash of values in a fixed order. Missing values are null. */
export const hashOf = (values: readonly unknown[]): Buffer => createHash('sha256').update(JSON.stringify(values)).digest()

/** Declares the statement that finds a record of a table by its reference. */
export function findReferenceIn(table: string): FindReference {
  return statement({
    name: `find_${table}_by_reference`,
    connection: 'read',
    sql: `select id, sent_hash = $3 or content_hash = $4 as is_same from ${table} where tenant_id = $1 and reference = $2`,
  })
}

/**
 * The id of the record that an earlier call with this reference has made; undefined for none. Throws `idempotency_conflict` if its content
 * was another.
 */
export async function earlierRecord(
  db: Queryable,
  find: FindReference,
  tenantId: number,
  reference: string | null,
  { sent, meant }: Content,
): Promise<number | undefined> {
  if (reference === null) return undefined
  const found = await db.runOne(find, [tenantId, reference, sent, meant])
  if (found?.is_same === false)
    throw new ServiceError(
      'idempotency_conflict',
      `The reference "${reference}" belongs to a record with different content: use another reference`,
    )
  return found?.id
}

/**
 * What a new record names, such as its order. When that is refused, a reference that another record has comes first: the content is another
 * then, because the first call has named something. Throws `idempotency_conflict`, or why it is refused.
 */
export async function namedUnlessUsed<Named>(
  db: Queryable,
  find: FindReference,
  tenantId: number,
  reference: string | null,
  named: Promise<Named>,
): Promise<Named> {
  try {
    return await named
  } catch (error) {
    if (error instanceof ServiceError) await earlierRecord(db, find, tenantId, reference, NO_CONTENT)
    throw error
  }
}

const NO_CONTENT: Content = { sent: Buffer.of(), meant: Buffer.of() }
