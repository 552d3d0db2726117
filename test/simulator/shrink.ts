import { Finding, type Step } from './client.ts'
import type { Installation } from './installation.ts'
import { compareWorld } from './quiet/quiet-point.ts'
import { surroundingsOf, type Report, type SimulationOptions } from './simulate.ts'
import { makeWorlds, planWorlds } from './world.ts'

const LASTS_MS = 60_000

/** The shortest history that leads to a finding. */
export interface Shortest {
  message: string
  history: readonly Step[]
  /** It happens with one client alone, without faults. */
  isAlone: boolean
}

/**
 * Plays the history of the client with the finding again, to new tenants, alone and without faults. If the finding comes again, leaves out
 * calls as long as it does.
 */
export async function shrink(
  installation: Installation,
  options: SimulationOptions,
  { message, history, world }: NonNullable<Report['finding']>,
): Promise<Shortest> {
  const endsAt = Date.now() + LASTS_MS
  const again = async (steps: readonly Step[]): Promise<Played | undefined> => {
    const played = await playAlone(installation, options, world, steps)
    return played !== undefined && kindOf(played.message) === kindOf(message) ? played : undefined
  }
  const first = history.length === 0 ? undefined : await again(history)
  if (first === undefined) return { message, history: history.slice(-20), isAlone: false }
  let { history: shortest, message: found } = first
  for (let size = Math.ceil(history.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < shortest.length && Date.now() < endsAt;) {
      const fewer = [...shortest.slice(0, from), ...shortest.slice(from + size)]
      const finding = await again(fewer)
      if (finding === undefined) from += size
      else ({ history: shortest, message: found } = finding)
    }
  }
  return { message: found, history: shortest, isAlone: true }
}

interface Played {
  message: string
  /** The calls that were made: those on records that do not exist are left out. */
  history: readonly Step[]
}

/** What is wrong, without names and numbers. */
const kindOf = (message: string): string => (message.split(/[{[]/)[0] ?? '').replaceAll(/[\d"]+/g, '')

/** The finding of these calls of one client, or undefined. */
async function playAlone(
  installation: Installation,
  options: SimulationOptions,
  worldName: string,
  steps: readonly Step[],
): Promise<Played | undefined> {
  const surroundings = surroundingsOf(installation, options)
  const plans = planWorlds(4).map((plan) => ({ ...plan, clients: plan.name === worldName ? 1 : 0 }))
  const made = plans.filter(({ clients }) => clients > 0)
  const worlds = await makeWorlds(installation, made, surroundings, options.seed)
  try {
    for (const world of worlds) {
      for (const client of world.clients) for (const step of steps) await client.perform(step)
      await compareWorld(installation, world)
    }
    return undefined
  } catch (error) {
    if (error instanceof Finding) return { message: error.message, history: worlds[0]?.clients[0]?.history ?? [] }
    throw error
  } finally {
    await surroundings.dispatcher.destroy()
  }
}

/** The calls, one a line, and what was found. */
export function toldHistory({ message, history, isAlone }: Shortest): string {
  const calls = history.map(
    ({ operation, input, hasKey, byTool }) =>
      `  ${operation.id} ${JSON.stringify(input)}${hasKey ? '' : ' without a key'}${byTool === true ? ' over MCP' : ''}`,
  )
  const heading = isAlone ? 'One client alone, without faults:' : 'Not reproducible with one client alone. Its last calls:'
  return [heading, ...calls, message].join('\n')
}
