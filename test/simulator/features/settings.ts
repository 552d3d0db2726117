import { setTimeout as delay } from 'node:timers/promises'
import type { Policy } from '../../model/reservations/model.ts'
import type { ClientState } from '../client-state.ts'
import { WEIGHT_BARCODES } from './weight-barcodes.ts'
import { ok, operation, type Operation } from '../operation.ts'

/** Settings: section 3 of the extensions, and "Switching" of section 4. A tenant's clients share them: the policy changes at quiet points alone. */

const LOOK_MS = 50
const READY_WITHIN_MS = 60_000

const shown = ({ policy }: ClientState): object => ({
  reservation_policy: policy,
  reservation_state: 'ready',
  weight_barcodes: WEIGHT_BARCODES,
})

/** Turns the tenant to another policy. Clients that did not make the call follow it. */
export const SWITCH = operation<{ policy: Policy }>({
  id: 'settings.update',
  weight: 0,
  makesRecord: true,
  isSilent: true,
  draw: () => undefined,
  request: (_, { policy }) => ({ method: 'PUT', path: '/settings', body: { reservation_policy: policy } }),
  expect(client, { policy }) {
    client.policy = policy
    client.books.setPolicy(policy)
    if (policy === 'off') for (const hold of client.holds) if (hold.state === 'active') hold.state = 'released'
    return ok({ reservation_policy: policy })
  },
  async afterwards(client) {
    const endsAt = Date.now() + READY_WITHIN_MS
    for (;;) {
      const { data } = (await client.read('/settings')).body
      if (data.reservation_policy !== client.state.policy)
        client.found(`another policy after its change: ${JSON.stringify(data)}`)
      if (data.reservation_state === 'ready') return
      if (Date.now() > endsAt) client.found(`reserving is not ready: ${JSON.stringify(data)}`)
      await delay(LOOK_MS)
    }
  },
})

export const SETTINGS: Operation[] = [
  operation<{ none: true }>({
    id: 'settings.get',
    weight: 0.5,
    draw: () => ({ none: true }),
    request: () => ({ method: 'GET', path: '/settings' }),
    expect: (client) => ok(shown(client)),
  }),

  // What is there already: it moves nothing while others call.
  operation<{ withPolicy: boolean }>({
    id: 'settings.update',
    weight: 0.2,
    draw: (_, random) => ({ withPolicy: random.chance(0.5) }),
    request: ({ policy }, { withPolicy }) => ({
      method: 'PUT',
      path: '/settings',
      body: withPolicy ? { reservation_policy: policy } : { weight_barcodes: WEIGHT_BARCODES },
    }),
    expect: (client) => ok(shown(client)),
  }),
]
