import { spawnSync } from 'node:child_process'
import { chmod, chown, mkdir, readFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { it } from './it.ts'
import { postmasterPid } from './it.ts'
import { isRoot, query, ended } from './postgres-client.ts'

const SOURCE = new URL('../../server/src/database/embedded/embedded-postgres.ts', import.meta.url).href

const NOBODY = 65534

const AS_NOBODY = ['setpriv', '--reuid', `${NOBODY}`, '--regid', `${NOBODY}`, '--clear-groups']

describe('users', () => {
  it.runIf(isRoot)('root starts Postgres as nobody, under a folder that only root may enter', async ({ dataDir, start }) => {
    await chmod(dataDir, 0o700)
    await mkdir(join(dataDir, 'inner'), { mode: 0o700 })
    const postgres = await start({ dataDir: join(dataDir, 'inner'), settings: {} })
    await query(postgres.connectionString, 'create table written as select 1; checkpoint')
    const pid = Number((await readFile(join(dataDir, 'inner/postgres/postmaster.pid'), 'utf8')).split('\n')[0])
    expect((await stat(`/proc/${pid}`)).uid).toBe(NOBODY)
  })

  it.runIf(isRoot)('an ordinary user starts Postgres as is', async ({ dataDir, spawnUser, skip }) => {
    const load = `import(${JSON.stringify(SOURCE)})`
    const [setpriv, ...args] = [...AS_NOBODY, process.execPath, '-e', load]
    const readable = spawnSync(setpriv, args, { cwd: '/' }).status === 0
    skip(!readable, 'an ordinary user cannot read this repository, or not run this Node')
    await chown(dataDir, NOBODY, NOBODY)
    const user = spawnUser({ prefix: AS_NOBODY })
    await query(await user.connectionString, 'select 1')
    const pid = await postmasterPid(dataDir)
    expect((await stat(`/proc/${pid}`)).uid).toBe(NOBODY)
    expect(await readFile(`/proc/${pid}/status`, 'utf8')).toMatch(/CapEff:\s0+\n/)
    await user.stop()
    await ended(pid)
  })

  it.runIf(isRoot)('root joins and restarts the Postgres of an ordinary user', async ({ dataDir, start }) => {
    await chown(dataDir, 1, 1)
    const first = await start()
    await first.stop()
    await chownAll(join(dataDir, 'postgres'), 1)
    await query((await start()).connectionString, 'select 1')
    expect((await stat(`/proc/${await postmasterPid(dataDir)}`)).uid).toBe(1)
  })
})

async function chownAll(folder: string, uid: number): Promise<void> {
  const entries = await readdir(folder, { recursive: true })
  await Promise.all(['', ...entries].map((entry) => chown(join(folder, entry), uid, uid)))
}
