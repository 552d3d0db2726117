import { readFile, writeFile } from 'node:fs/promises'
import { busyCores, commit, describeMachine, QUIET_CORES } from '../machine.ts'
import { startBenchDatabase } from '../seed/bench-database.ts'
import type { Attack } from './attack.ts'
import { ATTACKS, attacksNamed } from './attacks.ts'
import { measureAttack, type Timing } from './measure-attack.ts'
import { AIM, MUST, resultOf, tablesOf, type AttackResult } from './report.ts'
import { whyNoSilentResolver } from './silent-resolver.ts'

const RESULTS = new URL('../neighbours.json', import.meta.url)

const FULL: Timing = { warmUpSeconds: 4, aloneSeconds: 12, attackSeconds: 20, pauseSeconds: 2 }
const SHORT: Timing = { warmUpSeconds: 0.5, aloneSeconds: 1, attackSeconds: 2, pauseSeconds: 0.2 }

/** Measures the effect of one tenant's attacks on another tenant: all attacks, or those with these names. */
export async function runNeighbours(names: readonly string[], short: boolean): Promise<void> {
  const attacks = await possible(attacksNamed(names))
  const busy = await busyCores()
  if (busy > QUIET_CORES) console.log(`The machine is not quiet: ${busy.toFixed(2)} cores are busy before anything was started.`)
  const database = await startBenchDatabase(true)
  const results: AttackResult[] = []
  try {
    for (const attack of attacks) await measure(attack)
    console.log(`\n${tablesOf(results)}`)
  } finally {
    await database.stop()
  }

  async function measure(attack: Attack): Promise<void> {
    const { url, seed } = database
    try {
      results.push(resultOf(await measureAttack(attack, { url, seed, timing: short ? SHORT : FULL, short })))
      const { ratio, failures } = results.at(-1) as AttackResult
      console.log(`${attack.name}: ${ratio} (must ${MUST}, aim ${AIM}), ${failures} failures`)
      if (!short) await writeResults(results)
    } catch (error) {
      // The other attacks can still be measured.
      console.error(`${attack.name} could not be measured:`, error)
      process.exitCode = 1
    }
  }
}

async function possible(attacks: readonly Attack[]): Promise<readonly Attack[]> {
  const problem = await whyNoSilentResolver()
  if (problem === undefined) return attacks
  for (const { name } of attacks.filter(({ silentResolver }) => silentResolver)) console.log(`${name} is left out: ${problem}`)
  return attacks.filter(({ silentResolver }) => silentResolver !== true)
}

/** Writes the results. Earlier results of other attacks stay in the file. */
async function writeResults(results: readonly AttackResult[]): Promise<void> {
  const known = await readFile(RESULTS, 'utf8').then(
    (text) => (JSON.parse(text) as { attacks: AttackResult[] }).attacks,
    () => [],
  )
  const attacks = ATTACKS.flatMap(({ name }) => [...results, ...known].find((result) => result.name === name) ?? [])
  const document = { machine: describeMachine(), commit: commit(), must: MUST, aim: AIM, attacks }
  await writeFile(RESULTS, `${JSON.stringify(document, null, 2)}\n`)
}
