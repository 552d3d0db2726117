import { sql } from 'kysely'
import { describe, expect, vi } from 'vitest'
import { Client } from '@fulfillment/server/database/connections/client.ts'
import { type Database, openDatabase } from '@fulfillment/server/database/database.ts'
import { statement } from '@fulfillment/server/database/statements/statement.ts'
import { it as base } from '../support/it.ts'

const divide = statement<[by: number], never>({
  name: 'divide_in_test',
  connection: 'write',
  sql: 'select from generate_series(1, 1) where 1 / $1::int = 0',
})
const addNote = statement<[texts: string[]], { text: string }>({
  name: 'add_note_in_test',
  connection: 'write',
  sql: 'insert into note select unnest($1::text[]) returning text',
})

/** A database of one connection, which has a table of its own. */
const it = base.extend('db', async ({ service }, { onCleanup }) => {
  const db = openDatabase(service.databaseUrl, { exclusiveConnections: 1 })
  onCleanup(() => db.close())
  await db.transaction(async (tx) => void (await sql`create temp table note (text text)`.execute(tx.kysely)))
  return db
})

const add = (db: Database, text: string, by = 1, work = async () => {}): Promise<string[]> =>
  db.transaction(async (tx) => {
    const rows = await tx.runGuarded({ statement: divide, values: [by] }, { statement: addNote, values: [[text]] })
    await work()
    return rows.map((row) => row.text)
  })

const notesOf = (db: Database): Promise<string[]> =>
  db.transaction(async (tx) =>
    (await sql<{ text: string }>`select text from note`.execute(tx.kysely)).rows.map(({ text }) => text),
  )

describe('a statement behind a guard', () => {
  it('does not run when the guard fails, whether or not the connection has prepared them', async ({ db }) => {
    await expect(add(db, 'unprepared', 0)).rejects.toMatchObject({ code: '22012' })
    expect(await add(db, 'a "first" one, \\ {}')).toEqual(['a "first" one, \\ {}'])
    await expect(add(db, 'prepared', 0)).rejects.toMatchObject({ code: '22012' })
    expect(await add(db, 'second')).toEqual(['second'])
    expect(await notesOf(db)).toEqual(['a "first" one, \\ {}', 'second'])
  })

  it('is in the transaction that began with it', async ({ db }) => {
    await add(db, 'kept')
    const failed = add(db, 'lost', 1, () => Promise.reject(new Error('later')))
    await expect(failed).rejects.toThrow('later')
    expect(await notesOf(db)).toEqual(['kept'])
  })

  it('is sent together with the guard and the beginning of the transaction', async ({ db }) => {
    await add(db, 'prepares')
    const queries = vi.spyOn(Client.prototype, 'query')
    await add(db, 'together')
    const { calls, contexts } = queries.mock
    queries.mockRestore()
    // The service of the test has queries of its own.
    const opening = calls.findIndex(([query]) => typeof (query as { submit?: unknown }).submit === 'function')
    expect(calls.filter((_, n) => contexts[n] === contexts[opening]).slice(1)).toEqual([['commit']])
  })
})
