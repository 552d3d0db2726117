import { setTimeout as delay } from 'node:timers/promises'
import { Random } from '../../simulator/random.ts'
import type { Installation } from './moving.ts'
import { type Operator, type Step, STEPS } from './operator.ts'

const VICTIMS = ['command', 'server 0', 'server 1', 'postgres 1', 'postgres 2'] as const
type Victim = (typeof VICTIMS)[number]

/** Every fifth move is left in peace, to see its pause. */
const PEACE_EVERY = 5
const STRIKES_OF_MOVE = 2
/** How long a step takes, or longer. */
const STEP_MS: Record<Step, number> = { copying: 12_000, switching: 1_300, leaving: 5_000 }

/** What is killed in a step of a move, and how long after its beginning. */
export interface Strike {
  victim: Victim
  step: Step
  afterMs: number
}

/** What is killed in each of a number of moves: every victim in every step, in turn, at random moments. */
export function planStrikes(moves: number, seed: number): Strike[][] {
  const random = new Random(seed)
  let deck: Strike[] = []
  const draw = (): Strike => {
    if (deck.length === 0) {
      const all = VICTIMS.flatMap((victim) => STEPS.map((step) => ({ victim, step, afterMs: random.next() * STEP_MS[step] })))
      deck = random.some(all, all.length)
    }
    return deck.pop() as Strike
  }
  return Array.from({ length: moves }, (_, n) =>
    (n + 1) % PEACE_EVERY === 0 ? [] : Array.from({ length: STRIKES_OF_MOVE }, draw).toSorted(inTime),
  )
}

const inTime = (a: Strike, b: Strike): number => STEPS.indexOf(a.step) - STEPS.indexOf(b.step) || a.afterMs - b.afterMs

/** Kills it when the move is there. Servers and databases start again at once. Returns what was killed, and in which state of the move. */
export async function strike(installation: Installation, operator: Operator, { victim, step, afterMs }: Strike): Promise<string> {
  await operator.until(step)
  await delay(afterMs)
  const state = (await operator.state()) || 'unknown'
  return (await kill(installation, operator, victim)) ? `${victim} in ${state}` : `no ${victim} in ${state}`
}

async function kill({ servers, start, postgres }: Installation, operator: Operator, victim: Victim): Promise<boolean> {
  if (victim === 'command') return await operator.kill()
  const [kind, number] = victim.split(' ')
  if (kind === 'server') {
    await servers[Number(number)]?.end('SIGKILL')
    await start(Number(number))
  } else {
    const database = postgres[Number(number) as 1 | 2]
    await database.kill()
    await database.start()
  }
  return true
}
