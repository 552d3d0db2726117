import type { FulfillmentClient } from '../../command-line/sdk.ts'
import { OPERATORS } from '../people.ts'
import { carry } from './carrier.ts'
import { type LiveOptions, sendOrders } from './customers.ts'
import { workDock } from './dock.ts'
import type { Journal } from './journal.ts'
import { LiveOperator } from './operator.ts'
import { Pace } from './pace.ts'
import type { Person } from './person.ts'
import { startReceiver } from './receiver.ts'
import { sendBack } from './send-back.ts'
import { supply } from './supplier.ts'

/** Plays customers, operators, a supplier, a carrier and a receiver of webhooks over the API, until the signal. Then the calls under way end. */
export async function runLive(
  client: FulfillmentClient,
  journal: Journal,
  { seed, rate, signal }: { seed: number; rate: number; signal: AbortSignal },
): Promise<void> {
  const failed = new AbortController()
  const pace = new Pace(rate, AbortSignal.any([signal, failed.signal]))
  const options: LiveOptions = { client, seed, journal, pace }
  const receiver = await startReceiver(options)
  const shared = { met: new Set<string>(), resting: new Map<string, number>() }
  const { operators } = await client.operators.list({ limit: 100 })
  const staff = OPERATORS.map(({ name, email }): Person => {
    const id = operators.find((operator) => operator.email === email)?.id ?? 0
    return { name, email, id }
  })
  const parts = [
    sendOrders(options),
    sendBack(options),
    supply(options),
    carry(options),
    workDock(options, staff[0] as Person),
    ...staff.map((person) => new LiveOperator(options, person, shared).work()),
  ]
  try {
    // One that fails for good ends the others, after their calls.
    for (const part of parts) part.catch(() => failed.abort())
    await Promise.all(parts)
  } finally {
    await Promise.allSettled(parts)
    await receiver.close()
  }
}
