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
  /** The values that neither key can decrypt. */
  unreadable: Unreadable
}

/** Values that neither key can decrypt. */
export interface Unreadable {
  count: number
  /** At least the first hundred of each column. */
  named: { column: string; name: string }[]
}

interface Row {
  tenant_id: string
  record: string
  ciphertext: Buffer
}

const BATCH = 500
const MAX_NAMED = 100

/** Signing secrets must be rotated if they are lost, the current ones soonest. Other values are named after them. */
const NAMED_FIRST = [
  'webhook_subscriptions.secret_ciphertext',
  'webhook_subscriptions.previous_secret_ciphertext',
  'webhook_former_secrets.secret_ciphertext',
]

/** The names of the first hundred values, as `table tenant/record`. */
export function namesOf({ named }: Unreadable): string[] {
  const first = NAMED_FIRST.flatMap((column) => named.filter((value) => value.column === column))
  const others = named.filter(({ column }) => !NAMED_FIRST.includes(column))
  return [...first, ...others].slice(0, MAX_NAMED).map(({ name }) => name)
}

/**
 * Re-encrypts all values of the previous key with the current one, a few hundred at a time, while servers run. Values of the current key
 * are skipped, so a rotation can be aborted and repeated at any time.
 */
export async function rotateEncryption(
  db: Database,
  encryption: Encryption,
  onProgress: (checked: number) => void = () => {},
): Promise<Rotation> {
  const rotation: Rotation = { checked: 0, renewed: 0, unreadable: { count: 0, named: [] } }
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
  const { unreadable } = rotation
  const countBefore = unreadable.count
  let after: Row | undefined
  do {
    const rows = await rowsBehind(kysely, encrypted, column, after)
    const renewed = rows.flatMap((row) => {
      const value = renewedOf(row, encryption)
      if (value !== 'unreadable') return value
      if (unreadable.count++ - countBefore < MAX_NAMED) unreadable.named.push(nameOf(row, encrypted, column))
      return []
    })
    if (renewed.length > 0) rotation.renewed += await store(kysely, encrypted, column, renewed)
    rotation.checked += rows.length
    onProgress(rotation.checked)
    after = rows.length === BATCH ? rows.at(-1) : undefined
  } while (after !== undefined)
}

/**
 * The next batch of values. An empty value is the stored response of a call that is still running, and is skipped. Columns are named with their table: `order by`
 * takes a bare name as that of an output column, which is text here, and would sort tenant 10 before tenant 2.
 */
async function rowsBehind(kysely: Kysely<Schema>, encrypted: Encrypted, column: string, after: Row | undefined): Promise<Row[]> {
  const record = sql.ref(`${encrypted.table}.${encrypted.record}`)
  const value = sql.ref(column)
  const tenant = sql.ref(`${encrypted.table}.${encrypted.tenant}`)
  const behind = after === undefined ? sql`true` : sql`(${tenant}, ${record}) > (${after.tenant_id}, ${after.record})`
  const { rows } = await sql<Row>`
    select ${tenant}::text as tenant_id, ${record}::text as record, ${value} as ciphertext from ${sql.table(encrypted.table)}
    where ${value} <> '' and ${behind} order by ${tenant}, ${record} limit ${BATCH}`.execute(kysely)
  return rows
}

function renewedOf(row: Row, encryption: Encryption): (Row & { renewed: Buffer })[] | 'unreadable' {
  try {
    const renewed = encryption.renew(row.ciphertext)
    return renewed === undefined ? [] : [{ ...row, renewed }]
  } catch {
    return 'unreadable'
  }
}

function nameOf({ tenant_id, record }: Row, { table }: Encrypted, column: string): Unreadable['named'][number] {
  const which = column === 'previous_secret_ciphertext' ? ' (previous secret)' : ''
  return { column: `${table}.${column}`, name: `${table} ${tenant_id}/${record}${which}` }
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
