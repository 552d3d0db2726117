import type { Attack, Battlefield } from '../attack.ts'
import type { Flood } from '../flood.ts'
import { recordEvents } from '../preparations.ts'

const SUBSCRIPTIONS = 3
const EVENTS = 100_000
const FAN_OUT_MS = 120_000

/**
 * Deletes subscriptions with many pending deliveries. It worked because one statement deleted all of them, on a connection shared by the
 * writes of all tenants.
 */
export const backlogDeletion: Attack = {
  name: 'backlog-deletion',
  title: 'deletion of subscriptions with 100,000 pending deliveries',
  prepare: makeBacklogs,
  async run(flood, _field, prepared) {
    const ids = prepared as string[]
    await flood.flood(1, (count) => {
      const id = ids[count]
      return id === undefined ? undefined : { method: 'DELETE', path: `/webhooks/${id}` }
    })
    await flood.pause(60_000)
  },
}

async function makeBacklogs(flood: Flood, field: Battlefield): Promise<string[]> {
  const ids: string[] = []
  for (let number = 0; number < SUBSCRIPTIONS; number++) {
    const body = { name: 'receiver', url: field.silent, events: ['*'] }
    ids.push((await flood.call<{ id: string }>({ method: 'POST', path: '/webhooks', body })).id)
  }
  const events = field.short ? 2_000 : EVENTS
  await recordEvents(flood, field, events)
  const deadline = performance.now() + FAN_OUT_MS
  while ((await waiting(flood, ids[0] as string)) < events) {
    if (performance.now() > deadline) throw new Error('the events were not fanned out in time')
    await flood.pause(500)
  }
  return ids
}

async function waiting(flood: Flood, id: string): Promise<number> {
  const path = `/webhooks/${id}/deliveries?limit=1`
  return (await flood.call<{ pagination: { total: number } }>({ method: 'GET', path })).pagination.total
}
