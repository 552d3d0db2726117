import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { type Database, MAX_SHARED_SIZE, openDatabase } from '@fulfillment/server/database/database.ts'
import { KeyedCall } from '@fulfillment/server/database/keyed-calls/keyed-call.ts'
import type { BatchedStatement } from '@fulfillment/server/database/statements/batched-statement.ts'
import { statement } from '@fulfillment/server/database/statements/statement.ts'
import { KeyedQueries } from '@fulfillment/server/procedures/idempotency/keyed-queries.ts'
import { it as base } from '../support/it.ts'

interface Note {
  text: string
  size: number
}
type Added = { call: number; text: string | null }

const addNew = statement<[texts: string[]], Added>({
  name: 'add_new_notes_in_test',
  connection: 'write',
  sql: `select call::int - 1 as call, null as text from unnest($1::text[]) with ordinality t (text, call)`,
})
const addPrepared = statement<[texts: string[]], Added>({
  name: 'add_prepared_notes_in_test',
  connection: 'write',
  sql: 'insert into note (text) select unnest($1::text[]) returning 0 as call, text',
})
const lockNotes = statement<[], never>({
  name: 'lock_notes_in_test',
  connection: 'write',
  sql: `insert into note (text) values ('locked')`,
})

/** A statement that changes nothing, so that each call needs a second run. */
const addNotes: BatchedStatement<Note, Added, [texts: string[]]> = {
  statement: addNew,
  valuesOf: (notes) => [notes.map(({ text }) => text)],
  groupOf: () => 'notes',
  changedBy: () => [],
  sizeOf: ({ size }) => size,
  secondRun: {
    isNeeded: (rows) => rows.every(({ text }) => text === null),
    lock: () => ({ statement: lockNotes, values: [] }),
    prepare: (_db, note) => Promise.resolve({ ...note, text: `prepared ${note.text}` }),
    instead: { statement: addPrepared, valuesOf: (notes) => [notes.map(({ text }) => text)] },
  },
}

const SMALL = { text: 'note', size: 1 }
const LARGE = { text: 'note', size: MAX_SHARED_SIZE + 1 }

/** A database of one connection, which has a table of its own. */
const it = base.extend('db', async ({ service }, { onCleanup }) => {
  const db = openDatabase(service.databaseUrl, { exclusiveConnections: 1 })
  onCleanup(() => db.close())
  await db.transaction(async (tx) => void (await sql`create temp table note (text text)`.execute(tx.kysely)))
  return db
})

const notesOf = async (db: Database): Promise<string[]> =>
  await db.transaction(async (tx) =>
    (await sql<{ text: string }>`select text from note order by ctid`.execute(tx.kysely)).rows.map(({ text }) => text),
  )

/** Runs the call in the transaction of an `Idempotency-Key`, which another statement has begun. */
async function addKeyed(db: Database, note: Note, hasBegun: boolean): Promise<Added[]> {
  const keyed = new KeyedCall(1, `${note.size} ${hasBegun}`, Buffer.alloc(32))
  const queries = new KeyedQueries(db.forTenant(1), keyed)
  if (hasBegun) await queries.run(addNew, [['begins']])
  const rows = await queries.runBatched(addNotes, note)
  await queries.keep(Buffer.from('kept'))
  return rows
}

describe('a call of a batched statement that needs a second run', () => {
  it.for<[name: string, add: (db: Database) => Promise<Added[]>]>([
    ['has it when it may share its statement', (db) => db.forTenant(1).runBatched(addNotes, SMALL)],
    ['has it when it is large', (db) => db.forTenant(1).runBatched(addNotes, LARGE)],
    ['has it in a transaction', (db) => db.forTenant(1).transaction((tx) => tx.runBatched(addNotes, SMALL))],
    ['has it with an Idempotency-Key', (db) => addKeyed(db, SMALL, false)],
    ['has it with an Idempotency-Key, behind another statement', (db) => addKeyed(db, SMALL, true)],
    ['has it with an Idempotency-Key when it is large', (db) => addKeyed(db, LARGE, false)],
  ])('%s', async ([, add], { db }) => {
    expect(await add(db)).toEqual([{ call: 0, text: 'prepared note' }])
    expect(await notesOf(db)).toEqual(['locked', 'prepared note'])
  })
})
