import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, vi } from 'vitest'
import { openDatabase } from '@fulfillment/server/database/database.ts'
import { FairSlots, INTERNAL, MAX_LINE } from '@fulfillment/server/database/connections/fair-slots.ts'
import { TooManyCallsError } from '@fulfillment/server/database/errors.ts'
import { statement } from '@fulfillment/server/database/statements/statement.ts'
import { it } from '../support/shared-service.ts'

/** Takes slots at once until the tenant has to wait. */
function takeAll(slots: FairSlots, tenantId: number): number {
  for (let taken = 0; ; taken++) {
    const granted = slots.take(tenantId)
    if (granted === undefined) continue
    granted.catch(() => {})
    return taken
  }
}

/** Queues tenants, and returns the order in which they get slots. */
function queue(slots: FairSlots, ...tenantIds: number[]): string[] {
  const outcome: string[] = []
  for (const [index, tenantId] of tenantIds.entries())
    slots.take(tenantId)?.then(
      () => outcome.push(`${tenantId}#${index}`),
      (error: Error) => outcome.push(`${tenantId} ${error.message}`),
    )
  return outcome
}

const settled = (): Promise<void> => delay(1)

describe('fair slots', () => {
  it('give a single tenant half of the slots, and each further one half of the rest', () => {
    const slots = new FairSlots({ slots: 20 })
    expect([1, 2, 3].map((tenant) => takeAll(slots, tenant))).toEqual([10, 5, 3])
    expect(slots.take(4)).toBeUndefined()
  })

  it('give a tenant at most its own limit', () => {
    const slots = new FairSlots({ slots: 20, perTenant: 2 })
    expect([1, 2].map((tenant) => takeAll(slots, tenant))).toEqual([2, 2])
  })

  it('give a tenant that holds a slot the next one only after a while', async () => {
    const slots = new FairSlots({ slots: 20, nextAfterMs: () => 1_000 })
    expect([1, 2].map((tenant) => takeAll(slots, tenant))).toEqual([1, 1])
    const outcome = queue(slots, 3, 3, 3)
    await delay(100)
    expect(outcome).toEqual([])
    slots.giveBack(3)
    await settled()
    expect(outcome).toEqual(['3#1'])
    await vi.waitFor(() => expect(outcome).toEqual(['3#1', '3#2']), { timeout: 60_000 })
  })

  it('always have a slot for one tenant, even with few slots', () => {
    const slots = new FairSlots({ slots: 1 })
    expect(slots.take(1)).toBeUndefined()
  })

  it('keep slots for internal work', () => {
    const slots = new FairSlots({ slots: 10, reserved: 2 })
    for (let tenant = 1; tenant <= 20; tenant++) void takeAll(slots, tenant)
    expect(takeAll(slots, INTERNAL)).toBe(2)
  })

  it('serve tenants in turn, and the requests of a tenant in order of arrival', async () => {
    const slots = new FairSlots({ slots: 2 })
    expect([slots.take(8), slots.take(9)]).toEqual([undefined, undefined])
    const served = queue(slots, 1, 1, 1, 2, 2, 3)
    for (const [holder, next] of [
      [8, '1#0'],
      [1, '2#3'],
      [2, '3#5'],
      [3, '1#1'],
      [1, '2#4'],
      [2, '1#2'],
    ] as const) {
      slots.giveBack(holder)
      await settled()
      expect(served.at(-1)).toBe(next)
    }
    expect(slots.waiting).toBe(0)
  })

  it('give a released slot to a tenant without slots first', async () => {
    const slots = new FairSlots({ slots: 4 })
    expect(takeAll(slots, 1)).toBe(2)
    const flood = queue(slots, ...Array.from({ length: 100 }, () => 1))
    expect(takeAll(slots, 2)).toBe(1)
    expect(slots.take(3)).toBeUndefined()
    const served = queue(slots, 4)
    slots.giveBack(1)
    await settled()
    expect([served, flood]).toEqual([['4#0'], []])
  })

  it('reject requests of a tenant with a full queue, and no others', async () => {
    const slots = new FairSlots({ slots: 4 })
    takeAll(slots, 1)
    queue(slots, ...Array.from({ length: MAX_LINE - 1 }, () => 1))
    expect(slots.waiting).toBe(MAX_LINE)
    await expect(slots.take(1)).rejects.toThrow(TooManyCallsError)
    expect(slots.take(2)).toBeUndefined()
    slots.close()
  })

  it('reject requests that wait too long, even if a slot is released afterwards', async () => {
    const slots = new FairSlots({ slots: 2 })
    expect(slots.take(1)).toBeUndefined()
    await expect(slots.take(1)).rejects.toThrow(TooManyCallsError)
    slots.giveBack(1)
    expect([slots.waiting, slots.take(1)]).toEqual([0, undefined])
  })

  it('reject all requests after closing', async () => {
    const slots = new FairSlots({ slots: 2 })
    expect(slots.take(1)).toBeUndefined()
    const waiting = slots.take(1)
    slots.close()
    await expect(waiting).rejects.toThrow('No connection to the database')
    await expect(slots.take(2)).rejects.toThrow('No connection to the database')
    slots.giveBack(1)
  })

  it('lose no slot over many tenants', async () => {
    const slots = new FairSlots({ slots: 5, reserved: 1 })
    let held = 0
    let most = 0
    const visit = async (tenant: number): Promise<void> => {
      for (let round = 0; round < 30; round++) {
        await slots.take(tenant)
        most = Math.max(most, ++held)
        await delay(Math.random() < 0.2 ? 1 : 0)
        held--
        slots.giveBack(tenant)
      }
    }
    await Promise.all(Array.from({ length: 24 }, (_, index) => visit(index % 8)))
    expect([held, slots.waiting, takeAll(slots, INTERNAL)]).toEqual([0, 0, 5])
    expect(most).toBeLessThanOrEqual(5)
  })
})

describe('exclusive connections', () => {
  it('release the slot if no connection can be made', async () => {
    const db = openDatabase('postgres://nobody@127.0.0.1:1/nothing', { exclusiveConnections: 2 })
    const tenant = db.forTenant(7)
    for (let round = 0; round < 10; round++)
      await expect(tenant.transaction(async () => {})).rejects.toThrow('No connection to the database')
    expect(db.usage().pool).toEqual({ open: 0, idle: 0, waitingRequests: 0 })
    await db.close()
  })

  it('are left to short statements while others read slowly and write much, also where there are few', async ({ service }) => {
    const db = openDatabase(service.databaseUrl, { exclusiveConnections: 8 })
    const longOnes = (['slow', 'bulk'] as const).map((connection) =>
      statement<[], unknown>({ name: `sleep_${connection}`, connection, sql: 'select pg_sleep(3)' }),
    )
    const short = statement<[], unknown>({ name: 'short', connection: 'write', sql: 'select 1' })
    let ended = 0
    const running = [1, 2, 3, 4, 5, 6].flatMap((tenantId) =>
      longOnes.map(async (long) => {
        await db
          .forTenant(tenantId)
          .run(long, [])
          .catch(() => {})
        ended++
      }),
    )
    await db.forTenant(9).run(short, [])
    expect(ended).toBe(0)
    await Promise.all(running)
    await db.close()
  })
})
