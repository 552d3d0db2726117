import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished } from 'vitest'
import { it } from './it.ts'
import { startEmbeddedPostgres } from '@fulfillment/server/database/embedded/embedded-postgres.ts'
import { postmasterPid } from './it.ts'
import { isRoot, query, recovered, ended } from './postgres-client.ts'

describe('a single process', () => {
  it('creates a database in an empty data folder', async ({ start }) => {
    const { connectionString } = await start()
    expect(
      await query(
        connectionString,
        `
      select current_database() as database, current_setting('server_encoding') as encoding, lower('ÄÖÜ') as lower,
             current_setting('timezone') as timezone, current_setting('max_connections') as connections`,
      ),
    ).toEqual([{ database: 'fulfillment', encoding: 'UTF8', lower: 'äöü', timezone: 'UTC', connections: '200' }])
  })

  it('keeps fsync on by default', async ({ start }) => {
    const postgres = await start({ settings: {} })
    expect(await query(postgres.connectionString, 'show fsync')).toEqual([{ fsync: 'on' }])
  })

  it('requires the password, which only its owner can read', async ({ dataDir, start }) => {
    const { connectionString } = await start()
    const wrong = new URL(connectionString)
    wrong.password = 'wrong'
    await expect(query(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' })
    expect((await stat(join(dataDir, 'postgres.json'))).mode & 0o777).toBe(0o600)
  })

  it('keeps its data and port after a restart', async ({ dataDir, start }) => {
    const first = await start()
    await query(first.connectionString, 'create table kept as select 42 as value')
    const pid = await postmasterPid(dataDir)
    await Promise.all([first.stop(), first.stop()])
    await ended(pid)
    const second = await start()
    expect(second.connectionString).toBe(first.connectionString)
    expect(await query(second.connectionString, 'select value from kept')).toEqual([{ value: 42 }])
  })

  it('keeps its connection string and committed data when Postgres is killed repeatedly', async ({ dataDir, start }) => {
    const { connectionString } = await start()
    await query(connectionString, 'create table kept (round int)')
    for (const round of [1, 2, 3]) {
      await query(connectionString, `insert into kept values (${round})`)
      process.kill(await postmasterPid(dataDir), 'SIGKILL')
      await recovered(connectionString)
      expect(await query(connectionString, 'select max(round) as round from kept')).toEqual([{ round }])
    }
  })

  // The shared memory of such a session prevents a new Postgres from starting.
  it.runIf(process.platform === 'linux')(
    'recovers although a session of the killed Postgres works on',
    async ({ dataDir, start }) => {
      const { connectionString } = await start()
      const busy = query(connectionString, 'do $$ begin loop end loop; end $$').catch(() => 'ended')
      await sleep(300)
      process.kill(await postmasterPid(dataDir), 'SIGKILL')
      await recovered(connectionString)
      expect(await busy).toBe('ended')
    },
  )

  it('waits for as long as Postgres recovers its data, and says so', { timeout: 90_000 }, async ({ dataDir, start }) => {
    await (await start()).stop()
    // A standby recovers until it is told to end: here, after longer than a Postgres may take that does nothing.
    await writeFile(join(dataDir, 'postgres', 'standby.signal'), '')
    const lines: string[] = []
    const starting = start({ settings: { fsync: 'off', hot_standby: 'off' }, log: (line) => lines.push(line) })
    await sleep(35_000)
    await writeFile(join(dataDir, 'postgres', 'promote'), '')
    process.kill(await postmasterPid(dataDir), 'SIGUSR1')
    expect(await query((await starting).connectionString, 'select 1 as one')).toEqual([{ one: 1 }])
    expect(lines).toEqual(['Postgres is still starting: it recovers its data from the write-ahead log'])
  })

  it('can be told to wait no longer for a recovery', async ({ dataDir, start }) => {
    await (await start()).stop()
    await writeFile(join(dataDir, 'postgres', 'standby.signal'), '')
    const signal = AbortSignal.timeout(1_000)
    await expect(start({ settings: { fsync: 'off', hot_standby: 'off' }, signal })).rejects.toThrow('timeout')
    await expect(postmasterPid(dataDir)).rejects.toThrow('ENOENT')
  })

  it('does not restart Postgres after stopping it', async ({ dataDir, start }) => {
    const postgres = await start()
    await postgres.stop()
    await sleep(600)
    await expect(postmasterPid(dataDir)).rejects.toThrow('ENOENT')
  })

  it('uses another port if its own is taken', async ({ start }) => {
    const first = await start()
    await first.stop()
    const squatter = createServer().listen(Number(new URL(first.connectionString).port), '127.0.0.1')
    await once(squatter, 'listening')
    try {
      const second = await start()
      expect(new URL(second.connectionString).port).not.toBe(`${(squatter.address() as AddressInfo).port}`)
      await query(second.connectionString, 'select 1')
    } finally {
      squatter.close()
    }
  })

  it.runIf(process.platform === 'linux')(
    'is not misled when the number of a killed Postgres belongs to another process',
    async ({ dataDir, start }) => {
      const postgres = await start()
      await postgres.stop()
      const { uid } = await stat(join(dataDir, 'postgres'))
      const other = spawn('sleep', ['60'], isRoot ? { uid } : {})
      onTestFinished(() => void other.kill('SIGKILL'))
      const port = new URL(postgres.connectionString).port
      await writeFile(
        join(dataDir, 'postgres/postmaster.pid'),
        `${other.pid}\n${dataDir}/postgres\n1\n${port}\n\n127.0.0.1\n\nready\n`,
      )
      await query((await start()).connectionString, 'select 1')
      expect(await postmasterPid(dataDir)).not.toBe(other.pid)
    },
  )
})

describe('an error message with a solution', () => {
  it('for data of another major version', async ({ dataDir, start }) => {
    await mkdir(join(dataDir, 'postgres'))
    await writeFile(join(dataDir, 'postgres/PG_VERSION'), '15\n')
    await expect(start()).rejects.toThrow('holds data of Postgres 15, this is Postgres 18: move the data with pg_dump')
  })

  it('for a folder with other files', async ({ dataDir, start }) => {
    await mkdir(join(dataDir, 'postgres'))
    await writeFile(join(dataDir, 'postgres/notes.txt'), 'mine')
    await expect(start()).rejects.toThrow('remove it, or choose another DATA_DIR')
  })

  it('for a folder without write permission', async ({ dataDir }) => {
    await writeFile(join(dataDir, 'file'), '')
    await expect(startEmbeddedPostgres({ dataDir: join(dataDir, 'file/data') })).rejects.toThrow(
      'choose another DATA_DIR, or set DATABASE_URL',
    )
  })

  it('for a lost password', async ({ dataDir, start }) => {
    await (await start()).stop()
    await rm(join(dataDir, 'postgres.json'))
    await expect(start()).rejects.toThrow('postgres.json, which holds the password of the database, is missing')
  })

  it('with the log of Postgres, if it does not start', async ({ dataDir }) => {
    await expect(startEmbeddedPostgres({ dataDir, settings: { no_such_setting: '1' } })).rejects.toThrow('no_such_setting')
  })
})
