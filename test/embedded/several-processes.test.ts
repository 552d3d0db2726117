import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, vi } from 'vitest'
import { it } from './it.ts'
import { isAlive, postmasterPid } from './it.ts'
import { tryLock } from '@fulfillment/server/database/embedded/file-lock.ts'
import { query, recovered, ended } from './postgres-client.ts'

describe('several processes', () => {
  it('that start at the same time on an empty folder share one Postgres', async ({ dataDir, spawnUser }) => {
    const users = [spawnUser(), spawnUser(), spawnUser()]
    const strings = await Promise.all(users.map((user) => user.connectionString))
    expect(new Set(strings).size).toBe(1)
    await query(strings[0]!, 'select 1')
    const pid = await postmasterPid(dataDir)
    await Promise.all(users.map((user) => user.stop()))
    await ended(pid)
  })

  it('stop in any order, and only the last one stops Postgres', async ({ dataDir, start, spawnUser }) => {
    const first = await start()
    const second = spawnUser()
    const third = spawnUser()
    expect(await second.connectionString).toBe(first.connectionString)
    expect(await third.connectionString).toBe(first.connectionString)
    await second.stop()
    await query(first.connectionString, 'select 1')
    await first.stop()
    await query(first.connectionString, 'select 1')
    const pid = await postmasterPid(dataDir)
    await third.stop()
    await ended(pid)
  })

  it('keep the same connection string when Postgres is killed after the process that started it has stopped', async ({
    dataDir,
    start,
    spawnUser,
  }) => {
    const starter = spawnUser()
    const connectionString = await starter.connectionString
    await start()
    await start()
    await starter.stop()
    process.kill(await postmasterPid(dataDir), 'SIGKILL')
    await recovered(connectionString)
    expect(await query(connectionString, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  it('use, supervise and finally stop a Postgres whose starting process was killed', async ({ dataDir, start, spawnUser }) => {
    const killed = spawnUser()
    const connectionString = await killed.connectionString
    const orphan = await postmasterPid(dataDir)
    await killed.kill()
    expect(isAlive(orphan)).toBe(true)

    const postgres = await start()
    expect(postgres.connectionString).toBe(connectionString)
    expect(await postmasterPid(dataDir)).toBe(orphan)

    process.kill(orphan, 'SIGKILL')
    await recovered(connectionString)
    const successor = await postmasterPid(dataDir)
    await postgres.stop()
    await ended(successor)
  })

  it('that are killed together with Postgres leave data that starts again', async ({ dataDir, start, spawnUser }) => {
    const killed = spawnUser()
    const connectionString = await killed.connectionString
    await query(connectionString, 'create table kept as select 42 as value')
    const pid = await postmasterPid(dataDir)
    await killed.kill()
    process.kill(pid, 'SIGKILL')
    expect(await query((await start()).connectionString, 'select value from kept')).toEqual([{ value: 42 }])
  })

  it('that are killed during initdb do not prevent the next start', async ({ dataDir, start, spawnUser }) => {
    const killed = spawnUser()
    await vi.waitUntil(async () => (await readdir(dataDir, { recursive: true })).some((path) => path.endsWith('/PG_VERSION')), {
      timeout: 60_000,
      interval: 5,
    })
    await killed.kill()
    const first = await start()
    await query(first.connectionString, 'select 1')
    await first.stop()
    await start()
    expect((await readdir(dataDir)).filter((name) => name.includes('initdb'))).toEqual([])
  })

  it('do not start a second Postgres while another process uses the folder, even if its Postgres is not visible', async ({
    dataDir,
    start,
  }) => {
    const otherContainer = tryLock(join(dataDir, 'postgres.users.lock'), 'shared')
    await expect(start()).rejects.toThrow('in another container')
    otherContainer?.release()
  })

  it('receive Ctrl-C without passing it to Postgres', async ({ dataDir, spawnUser }) => {
    const user = spawnUser({ detached: true })
    await user.connectionString
    const pid = await postmasterPid(dataDir)
    process.kill(-user.pid, 'SIGINT')
    expect(await user.nextLine()).toBe('interrupted')
    await sleep(300)
    expect(isAlive(pid)).toBe(true)
    await user.stop()
  })
})
