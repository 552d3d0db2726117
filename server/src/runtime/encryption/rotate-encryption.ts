import { type Kysely, sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import type { Schema } from '../../database/schema.ts'
import type { Encryption } from './encryption.ts'

/** The columns with encrypted values. `tenant` and `record` identify a row. A test compares this list with the database's catalog. */
export const ENCRYPTED_COLUMNS = [
  { table: 'encryption_check', tenant: 'id', record: 'id', type: 'integer', columns: ['ciphertext'] },
  { table: 'shards', tenant: 'id', record: 'id', type: 'integer', columns: ['url_ciphertext'] },
  {
    table: 'webhook_subscriptions',
    tenant: 'tenant_id',
    record: 'id',
    type: 'bigint',
    columns: ['secret_ciphertext', 'previous_secret_ciphertext'],
  },
  { table: 'webhook_former_secrets', tenant: 'tenant_id', record: 'id', type: 'bigint', columns: ['secret_ciphertext'] },
  { table: 'idempotency_keys', tenant: 'tenant_id', record: 'key', type: 'text', columns: ['answer_ciphertext'] },
] as const
type Encrypted = (typeof ENCRYPTED_COLUMNS)[number]

/** The result of a rotation. */
export interface Rotation {
  /** Number of values read. */
  checked: number
  /** Number of values re-encrypted. */
  renewed: number
  /** The first hundred values that neither key can decrypt, as `table tenant/record`. */
  unreadable: string[]
}

interface Row {
  tenant_id: string
  record: string
  ciphertext: Buffer
}

const BATCH = 500
const MAX_NAMED = 100

/**
 * Re-encrypts all values of the previous key with the current one, a few hundred at a time, while servers run. Values of the current key
 * are skipped, so a rotation can be aborted and repeated at any time.
 */
export async function rotateEncryption(
  db: Database,
  encryption: Encryption,
  onProgress: (checked: number) => void = () => {},
): Promise<Rotation> {
  const rotation: Rotation = { checked: 0, renewed: 0, unreadable: [] }
  for (const encrypted of ENCRYPTED_COLUMNS) {
    for (const column of encrypted.columns) await rotateColumn(db.kysely, encryption, encrypted, column, rotation, onProgress)
  }
  return rotation
}

async function rotateColumn(
  kysely: Kysely<Schema>,
  encryption: Encryption,
  encrypted: Encrypted,
  column: string,
  rotation: Rotation,
  onProgress: (checked: number) => void,
): Promise<void> {
  let after: Row | undefined
  do {
    const rows = await rowsBehind(kysely, encrypted, column, after)
    const renewed = rows.flatMap((row) => renewedOf(row, encryption, encrypted, rotation))
    if (renewed.length > 0) rotation.renewed += await store(kysely, encrypted, column, renewed)
    rotation.checked += rows.length
    onProgress(rotation.checked)
    after = rows.length === BATCH ? rows.at(-1) : undefined
  } while (after !== undefined)
}

/** The next batch of values. An empty value is the stored response of a call that is still running, and is skipped. */
async function rowsBehind(kysely: Kysely<Schema>, encrypted: Encrypted, column: string, after: Row | undefined): Promise<Row[]> {
  const record = sql.ref(encrypted.record)
  const value = sql.ref(column)
  const tenant = sql.ref(encrypted.tenant)
  const behind = after === undefined ? sql`true` : sql`(${tenant}, ${record}) > (${after.tenant_id}, ${after.record})`
  const { rows } = await sql<Row>`
    select ${tenant}::text as tenant_id, ${record}::text as record, ${value} as ciphertext from ${sql.table(encrypted.table)}
    where ${value} <> '' and ${behind} order by ${tenant}, ${record} limit ${BATCH}`.execute(kysely)
  return rows
}

function renewedOf(
  row: Row,
  encryption: Encryption,
  { table }: Encrypted,
  { unreadable }: Rotation,
): (Row & { renewed: Buffer })[] {
  try {
    const renewed = encryption.renew(row.ciphertext)
    return renewed === undefined ? [] : [{ ...row, renewed }]
  } catch {
    if (unreadable.length < MAX_NAMED) unreadable.push(`${table} ${row.tenant_id}/${row.record}`)
    return []
  }
}

/** Writes values unless they have changed since they were read: a server may have replaced one. Locks rows in key order, like all writes. */
async function store(
  kysely: Kysely<Schema>,
  { table, tenant: owner, record: name, type }: Encrypted,
  column: string,
  rows: readonly (Row & { renewed: Buffer })[],
): Promise<number> {
  const record = sql.ref(`t.${name}`)
  const tenant = sql.ref(`t.${owner}`)
  const { rows: stored } = await sql`
    with found as materialized (
      select t.ctid as place, n.renewed
      from unnest(
        ${rows.map((row) => row.tenant_id)}::bigint[], ${rows.map((row) => row.record)}::text[],
        ${rows.map((row) => row.ciphertext)}::bytea[], ${rows.map((row) => row.renewed)}::bytea[]
      ) n (tenant_id, record, ciphertext, renewed)
      join ${sql.table(table)} t on ${tenant} = n.tenant_id and ${record} = n.record::${sql.raw(type)} and ${sql.ref(`t.${column}`)} = n.ciphertext
      order by ${tenant}, ${record} for no key update of t
    )
    update ${sql.table(table)} t set ${sql.ref(column)} = found.renewed from found where t.ctid = found.place returning 1`.execute(
    kysely,
  )
  return stored.length
}
