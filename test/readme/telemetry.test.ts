import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { ROOT } from './shell-blocks.ts'

const run = promisify(execFile)

/** The folders of packages, and their scripts that run Turborepo. */
const SCRIPTS: [folder: string, script: string][] = [
  ...['build', 'prebench', 'generate', 'generate:check'].map((script): [string, string] => ['.', script]),
  ['sdk', 'prepack'],
  ['examples', 'sdk'],
]

it.for(SCRIPTS)('in %s, npm run %s tells newcomers nothing about telemetry', async ([folder, script]) => {
  const home = await mkdtemp(path.join(tmpdir(), 'fulfillment-home-'))
  onTestFinished(() => rm(home, { recursive: true }))
  const env = { PATH: process.env.PATH, HOME: home }
  const { stdout, stderr } = await run('npm', ['run', script, '--', '--dry=json'], { cwd: path.join(ROOT, folder), env })
  expect(stdout).toContain('"tasks"')
  expect(stderr).not.toMatch(/telemetry|anonymous/i)
})
