import { describe, expect, inject } from 'vitest'
import { type Database, openDatabase } from '@fulfillment/server/database/database.ts'
import { publish, unpublish } from '@fulfillment/server/shards/move/replication.ts'
import { connectTo, type Move } from '@fulfillment/server/shards/move/side.ts'
import { tenantTables } from '@fulfillment/server/shards/move/tables.ts'
import { it as base } from '../support/it.ts'
import { starting } from '../support/starting.ts'
import { cloneDatabase } from '../support/test-database.ts'

/**
 * `it` with a database that tenants move from:
 *
 * - `db`: the database.
 * - `startMover`: begins the move of a tenant with this id.
 */
const it = base
  .extend('db', async ({}, { onCleanup }): Promise<Database> => {
    const { url, drop } = await cloneDatabase(inject('postgresUrl'))
    const db = openDatabase(url, { exclusiveConnections: 2, pipelinedConnections: 1 })
    onCleanup(async () => {
      await db.close()
      await drop()
    })
    return db
  })
  .extend('startMover', ({ db }, fixture) =>
    starting(
      async (tenantId: number): Promise<Move> => {
        const side = { id: 1, db, client: await connectTo(db) }
        const name = `fulfillment_move_${tenantId}_1`
        return { tenantId, ids: [tenantId, tenantId + 1], name, epoch: 1, source: side, target: side }
      },
      ({ source }) => source.client.end(),
    )({}, fixture),
  )

describe('a move from a shard that begins while another one ends', () => {
  it('has the replica identities that its publication needs', async ({ db, startMover }) => {
    const [ending, beginning] = [await startMover(10), await startMover(20)]
    const tables = await tenantTables(ending.source)
    const withoutKey = tables.filter(({ has_key }) => !has_key).map(({ name }) => name)
    await publish(ending, tables)

    // The other one waits for a reader of the first table, and would take away the identities after the publication is made.
    const reader = await connectTo(db)
    await reader.query(`begin; lock table ${withoutKey[0]} in access share mode`)
    const ended = unpublish(ending, tables, undefined)
    await expect
      .poll(async () => (await reader.query('select from pg_publication where pubname = $1', [ending.name])).rowCount)
      .toBe(0)
    const begun = publish(beginning, tables)
    await new Promise((resolve) => setTimeout(resolve, 500))
    await reader.query('commit')
    await reader.end()
    await Promise.all([ended, begun])

    const { rows } = await db.dedicatedPool.query(`select relname as name from pg_class where relreplident = 'f' order by 1`)
    expect(rows.map(({ name }) => name)).toEqual(withoutKey)
    await unpublish(beginning, tables, undefined)
    expect((await db.dedicatedPool.query(`select from pg_class where relreplident = 'f'`)).rowCount).toBe(0)
  })
})
