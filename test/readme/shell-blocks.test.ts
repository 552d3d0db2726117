import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { arrive, type Newcomer } from './newcomer.ts'
import { pages, ROOT, shellBlocks } from './shell-blocks.ts'

const MINUTE_MS = 60_000

const CHANGES = 'git status --porcelain'

let newcomer: Newcomer
/** Those of the folder that was cloned. */
let changes: string
beforeAll(async () => {
  newcomer = await arrive()
  changes = await newcomer.type(CHANGES)
}, 3 * MINUTE_MS)
afterAll(async () => {
  await newcomer.stopServer()
  await newcomer.leave()
})

/** What installs and packs, which no server concerns. */
const PACKAGES = /^(npm install|\(cd sdk && npm pack .*|mkdir -p .*|\(cd \S+ && npm install .*)$\n?/gm

/** Types every block of a page, from top to bottom; or, `again`, those that a running server concerns. Returns the number of blocks. */
async function follow(page: string, again = false): Promise<number> {
  newcomer.openShell()
  const run = (await shellBlocks(page)).filter(({ notRun }) => notRun === undefined)
  const blocks = again
    ? run
        .flatMap((block) => ({ ...block, commands: block.commands.replaceAll(PACKAGES, '') }))
        .filter(({ commands }) => commands !== '')
    : run
  for (const { where, commands } of blocks) {
    const output = await newcomer.type(commands).catch((error: Error) => `It failed: ${error.message}`)
    const printed = `${where}\n${output}`
    expect(printed).not.toMatch(/^It failed|"success":false|npm warn|npm error|EBADENGINE|Warning:/im)
    const calls = commands.split('\n').filter((line) => line.startsWith('curl ')).length
    expect(output.split('"success":true').length - 1, printed).toBe(calls)
  }
  return blocks.length
}

it('the commands of the README work in order, in a fresh clone, as an ordinary user', { timeout: 10 * MINUTE_MS }, async () => {
  expect(await follow('README.md')).toBeGreaterThan(6)
  // `npm install`, by whatever npm the newcomer has, leaves the checkout clean.
  expect(await newcomer.type('cat package-lock.json')).toBe(await readFile(path.join(ROOT, 'package-lock.json'), 'utf8'))
})

it('they work again after Ctrl-C and a restart', { timeout: 10 * MINUTE_MS }, async () => {
  expect(await newcomer.stopServer()).toBe(0)
  expect(newcomer.serverOutput()).not.toMatch(/npm warn|npm error/)
  // The page of the SDK has the same commands for packages, and they run after this.
  expect(await follow('README.md', true)).toBeGreaterThan(6)
})

it('the commands of the other pages work', { timeout: 10 * MINUTE_MS }, async () => {
  let followed = 0
  for (const page of await pages()) if (page !== 'README.md') followed += await follow(page)
  expect(followed).toBeGreaterThan(3)
  // No block leaves a file that somebody could commit, such as an export.
  expect(await newcomer.type(CHANGES)).toBe(changes)
})

it('blocks that are not run have a reason', async () => {
  const all = (await Promise.all((await pages()).map(shellBlocks))).flat()
  const reasons = all.flatMap(({ where, notRun }) => (notRun === undefined ? [] : [`${where.replace(/:\d+$/, '')}: ${notRun}`]))
  expect(reasons).toEqual([
    'README.md: it runs for an hour; test/command-line/demo.test.ts runs a short one',
    'README.md: takes 20 minutes',
    'README.md: they would run themselves',
    'docs/agents.md: needs Claude Code',
    'docs/agents.md: downloads the inspector',
    'docs/operating.md: needs Docker',
    'docs/operating.md: needs systemd',
    'docs/operating.md: needs Docker',
    'docs/scaling.md: needs a second database; test/shards runs it',
    'docs/scaling.md: needs two databases; test/shards runs it',
    'docs/scaling.md: a benchmark',
    'docs/scaling.md: a benchmark',
    'sdk/README.md: needs the registry that you publish it to',
    'sdk/README.md: CI runs the one, and the other downloads every runtime',
  ])
})
