import type { Policy } from '../../model/reservations/model.ts'
import type { Step } from '../client.ts'
import { SWITCH } from '../features/settings.ts'
import type { Random } from '../random.ts'
import type { World } from '../world.ts'

const POLICIES: readonly Policy[] = ['off', 'track', 'strict']
const PROBABILITY = 0.3

/** At times, turns a tenant to another policy while none of its clients calls. One client makes the call, and the others follow. */
export async function switchPolicy({ clients }: World, random: Random): Promise<void> {
  const [first, ...others] = clients
  if (first === undefined || !random.chance(PROBABILITY)) return
  const policy = random.of(POLICIES.filter((other) => other !== first.state.policy))
  const step: Step = { operation: SWITCH, input: { policy }, hasKey: true }
  await first.perform(step)
  for (const client of others) client.follow(step)
}
