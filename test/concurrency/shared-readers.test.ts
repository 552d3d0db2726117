import { expect } from 'vitest'
import { openDatabase } from '@fulfillment/server/database/database.ts'
import { statement } from '@fulfillment/server/database/statements/statement.ts'
import { it as base } from '../support/it.ts'

const findProcess = statement<[], { id: number }>({
  name: 'find_process_in_test',
  connection: 'read',
  sql: 'select pg_backend_pid() as id from pg_sleep(0.02)',
})

/** Runs one read; the id of the process of Postgres that had it. */
const it = base.extend('read', async ({ service }, { onCleanup }) => {
  const db = openDatabase(service.databaseUrl, { exclusiveConnections: 1, pipelinedConnections: 2 })
  onCleanup(() => db.close())
  return async () => (await db.runOne(findProcess, []))?.id
})

it('one read after the other uses the same connection', async ({ read }) => {
  const first = await read()
  for (let repeat = 0; repeat < 4; repeat++) expect(await read()).toBe(first)
})

it('reads at the same time share out the connections', async ({ read }) => {
  const processes = await Promise.all(Array.from({ length: 6 }, read))
  const byProcess = Map.groupBy(processes, (id) => id)
  expect([...byProcess.values()].map((reads) => reads.length)).toEqual([3, 3])
})
