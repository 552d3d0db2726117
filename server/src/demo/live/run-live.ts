import type { FulfillmentClient } from '../../command-line/sdk.ts'
import { OPERATORS } from '../people.ts'
import { type LiveOptions, sendOrders } from './customers.ts'
import { Journal } from './journal.ts'
import { LiveOperator } from './operator.ts'
import { Pace } from './pace.ts'
import { startReceiver } from './receiver.ts'
import { supply } from './supplier.ts'

/** Plays customers, operators, a supplier and a receiver of webhooks over the API, until the signal. Then the calls under way end. */
export async function runLive(
  client: FulfillmentClient,
  { seed, rate, print, signal }: { seed: number; rate: number; print: (line: string) => void; signal: AbortSignal },
): Promise<Journal> {
  const failed = new AbortController()
  const journal = new Journal(print)
  const pace = new Pace(rate, AbortSignal.any([signal, failed.signal]))
  const options: LiveOptions = { client, seed, journal, pace }
  const receiver = await startReceiver(options)
  const shared = { met: new Set<string>(), resting: new Map<string, number>() }
  const { operators } = await client.operators.list({ limit: 100 })
  const staff = OPERATORS.map(({ name, email }) => {
    const id = operators.find((operator) => operator.email === email)?.id ?? 0
    return new LiveOperator(options, { name, email, id }, shared)
  })
  const parts = [sendOrders(options), supply(options), ...staff.map((operator) => operator.work())]
  try {
    // One that fails ends the others, after their calls.
    for (const part of parts) part.catch(() => failed.abort())
    await Promise.all(parts)
  } finally {
    await Promise.allSettled(parts)
    await receiver.close()
  }
  return journal
}
