import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { it } from '../support/it.ts'
import { startCommand } from './run-command.ts'

const COMMAND = fileURLToPath(new URL('../../server/bin/fulfillment.js', import.meta.url))
/** A device of Linux on which no byte has room. */
const FULL = '/dev/full'

/** Runs the command with its standard output on a full disk. */
async function runOnFullDisk(args: string[], env: Record<string, string>): Promise<{ exitCode: number; stderr: string }> {
  const { promise, resolve } = Promise.withResolvers<{ exitCode: number; stderr: string }>()
  const shell = ['-c', `exec "$0" "$@" > ${FULL}`, process.execPath, COMMAND, ...args]
  execFile('sh', shell, { env: { PATH: process.env.PATH, ...env } }, (error, _stdout, stderr) =>
    resolve({ exitCode: Number(error?.code ?? 0), stderr }),
  )
  return await promise
}

it.skipIf(!existsSync(FULL))('a full disk fails the command, which stops the Postgres that it started', async ({ folder }) => {
  const { exitCode, stderr } = await runOnFullDisk(['migrate'], { DATA_DIR: folder, ENCRYPTION_KEY: '' })
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^.*creating one\nStandard output: ENOSPC.*\n$/)])
  expect(await readFile(path.join(folder, 'postgres/PG_VERSION'), 'utf8')).toMatch(/^\d+\n$/)
  await expect(stat(path.join(folder, 'postgres/postmaster.pid'))).rejects.toThrow('ENOENT')
})

it.skipIf(!existsSync(FULL))('a full disk ends an export at once', async ({ service, tenant }) => {
  const env = { FULFILLMENT_URL: service.url, FULFILLMENT_API_KEY: tenant.key }
  const { exitCode, stderr } = await runOnFullDisk(['export', 'products'], env)
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^Standard output: ENOSPC.*\n$/)])
})

it.skipIf(!existsSync(FULL))(
  'a full disk or a closed pipe leaves no tenant or key that nobody has seen',
  async ({ startService }) => {
    const own = await startService()
    const tenant = await own.newTenant()
    const env = { DATABASE_URL: own.databaseUrl, ENCRYPTION_KEY: 'encryption key of the tests' }
    const counts = async (): Promise<unknown> =>
      (await own.db.dedicatedPool.query('select (select count(*) from tenants) tenants, (select count(*) from api_keys) keys'))
        .rows
    const before = await counts()
    const key = ['keys', 'create', '--tenant', String(tenant.id), '--preset', 'read_only']
    for (const args of [['tenants', 'create', 'Unseen'], key]) {
      const { exitCode, stderr } = await runOnFullDisk(args, env)
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^Standard output: ENOSPC.*\n$/)])
      const { child, ended } = startCommand(args, env)
      child.stdout?.destroy()
      await expect(ended).rejects.toThrow('Premature close')
      await expect.poll(() => child.exitCode).toBe(1)
    }
    expect(await counts()).toEqual(before)
  },
)
