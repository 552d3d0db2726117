import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { type Preface, PrefaceError } from '@fulfillment/server/database/connections/preface.ts'
import { type Database, openDatabase } from '@fulfillment/server/database/database.ts'
import type { BatchedStatement } from '@fulfillment/server/database/statements/batched-statement.ts'
import { statement } from '@fulfillment/server/database/statements/statement.ts'
import { AuditTrail } from '@fulfillment/server/domain/audit/index.ts'
import { it as base } from '../support/it.ts'

const addPreface = statement<[text: string, by: number], { text: string }>({
  name: 'add_preface_in_test',
  connection: 'write',
  sql: 'insert into note (text) select $1::text where 1 / $2::int = 1 returning text',
})
const addNotes: BatchedStatement<string, { call: number; text: string; sync: string }> = {
  statement: statement({
    name: 'add_notes_in_test',
    connection: 'write',
    sql: `insert into note (text) select unnest($1::text[]) returning 0 as call, text, current_setting('synchronous_commit') as sync`,
  }),
  valuesOf: (calls) => [calls],
  groupOf: () => 'notes',
  changedBy: () => [],
  sizeOf: () => 1,
}

/** A database of one connection, which has a table of its own. */
const it = base.extend('db', async ({ service }, { onCleanup }) => {
  const db = openDatabase(service.databaseUrl, { exclusiveConnections: 1 })
  onCleanup(() => db.close())
  await db.transaction(async (tx) => void (await sql`create temp table note (text text unique)`.execute(tx.kysely)))
  return db
})

function prefaceOf(text: string, by = 1): Preface & { seen: unknown[] } {
  const seen: unknown[] = []
  let isCommitted = false
  return {
    seen,
    step: { statement: addPreface, values: [text, by] },
    get isCommitted() {
      return isCommitted
    },
    sent: () => void seen.push('sent'),
    committed: (rows) => {
      isCommitted = true
      seen.push(...rows)
    },
    run: () => Promise.reject(new Error('run by itself')),
    refused: (cause) => cause,
  }
}

const notesOf = async (db: Database): Promise<string[]> =>
  await db.transaction(async (tx) =>
    (await sql<{ text: string }>`select text from note order by ctid`.execute(tx.kysely)).rows.map(({ text }) => text),
  )

describe.each(['whose connection has prepared nothing', 'whose connection has prepared all'])('a statement %s', (title) => {
  const isPrepared = title.endsWith('all')

  it('runs behind its preface, which is committed without waiting for the disk', async ({ db }) => {
    if (isPrepared) await db.forTenant(1).runBatched(addNotes, 'prepares', undefined, prefaceOf('prepared'))
    const preface = prefaceOf('a "first" one')
    const rows = await db.forTenant(1).runBatched(addNotes, 'second', undefined, preface)
    expect(rows).toEqual([{ call: 0, text: 'second', sync: 'on' }])
    expect(preface.seen).toEqual(['sent', { text: 'a "first" one' }])
    expect((await notesOf(db)).slice(-2)).toEqual(['a "first" one', 'second'])
  })

  it('does not run when its preface fails', async ({ db }) => {
    if (isPrepared) await db.forTenant(1).runBatched(addNotes, 'prepares', undefined, prefaceOf('prepared'))
    const before = await notesOf(db)
    const preface = prefaceOf('refused', 0)
    const refused = db.forTenant(1).runBatched(addNotes, 'second', undefined, preface)
    await expect(refused).rejects.toBeInstanceOf(PrefaceError)
    await expect(refused).rejects.toMatchObject({ cause: { code: '22012' } })
    expect(preface.seen).toEqual(['sent'])
    expect(await notesOf(db)).toEqual(before)
  })

  it('fails without its preface', async ({ db }) => {
    if (isPrepared) await db.forTenant(1).runBatched(addNotes, 'prepares', undefined, prefaceOf('prepared'))
    await db.forTenant(1).runBatched(addNotes, 'there')
    const preface = prefaceOf('stays')
    await expect(db.forTenant(1).runBatched(addNotes, 'there', undefined, preface)).rejects.toMatchObject({ code: '23505' })
    expect(preface.isCommitted).toBe(true)
    expect((await notesOf(db)).at(-1)).toBe('stays')
    // A preface that is committed is not sent again.
    await db.forTenant(1).runBatched(addNotes, 'later', undefined, preface)
    expect(preface.seen).toHaveLength(2)
  })
})

describe('an entry that was being sent when the connection was lost', () => {
  it.for([true, false])('gets the error of its call if it was written: %s', async (isWritten, { service, tenant }) => {
    const { db } = service
    const trail = new AuditTrail(db, () => {})
    const { rows } = await sql<{ id: number }>`select id from api_keys where tenant_id = ${tenant.id}`.execute(db.kysely)
    const caller = {
      tenantId: tenant.id,
      mode: 'live' as const,
      defaultWarehouse: { id: 1, name: 'Main' },
      keyId: rows[0]?.id ?? 0,
      keyName: 'test key',
      scopes: [],
    }
    const call = {
      caller,
      address: '::1',
      requestId: 'r',
      surface: 'api' as const,
      operation: 'stock.adjust',
      path: '/stock/adjustment',
    }
    const entry = await trail.begin({ ...call, input: {} }, () => true)
    if (entry === undefined || !('step' in entry)) throw new Error('The entry is no preface')
    entry.sent()
    if (isWritten) await db.run(entry.step.statement, entry.step.values)
    trail.failed(entry, 'service_unavailable')
    await trail.close()
    const { entries } = (await tenant.request('GET', '/audit-log')).body.data
    expect(entries.map(({ error }: { error: string }) => error)).toEqual(isWritten ? ['service_unavailable'] : [])
  })
})
