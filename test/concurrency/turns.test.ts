import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../server/src/database/database.ts'
import { INTERNAL, MAX_LINE, Turns } from '../../server/src/database/turns.ts'

/** Takes places at once until the tenant has to wait. */
function takeAll(turns: Turns, tenantId: number): number {
  for (let taken = 0; ; taken++) {
    const turn = turns.take(tenantId)
    if (turn === undefined) continue
    turn.catch(() => {})
    return taken
  }
}

/** Lets tenants stand in line, and tells in which order they got places. */
function queue(turns: Turns, ...tenantIds: number[]): string[] {
  const outcome: string[] = []
  for (const [index, tenantId] of tenantIds.entries())
    turns.take(tenantId)?.then(
      () => outcome.push(`${tenantId}#${index}`),
      (error: Error) => outcome.push(`${tenantId} ${error.message}`),
    )
  return outcome
}

const settled = (): Promise<void> => delay(1)

describe('turns', () => {
  it('give one tenant alone half of the places, and the next ones half of what is left', () => {
    const turns = new Turns({ places: 20 })
    expect([1, 2, 3].map((tenant) => takeAll(turns, tenant))).toEqual([10, 5, 3])
    expect(turns.take(4)).toBeUndefined()
  })

  it('give one tenant no more than its own limit', () => {
    const turns = new Turns({ places: 20, perTenant: 2 })
    expect([1, 2].map((tenant) => takeAll(turns, tenant))).toEqual([2, 2])
  })

  it('always have a place for one tenant, however few there are', () => {
    const turns = new Turns({ places: 1 })
    expect(turns.take(1)).toBeUndefined()
  })

  it('keep places for internal work', () => {
    const turns = new Turns({ places: 10, reserved: 2 })
    for (let tenant = 1; tenant <= 20; tenant++) void takeAll(turns, tenant)
    expect(takeAll(turns, INTERNAL)).toBe(2)
  })

  it('serve tenants one after the other, and each of them in the order of arrival', async () => {
    const turns = new Turns({ places: 2 })
    expect([turns.take(8), turns.take(9)]).toEqual([undefined, undefined])
    const served = queue(turns, 1, 1, 1, 2, 2, 3)
    for (const [holder, next] of [
      [8, '1#0'],
      [1, '2#3'],
      [2, '3#5'],
      [3, '1#1'],
      [1, '2#4'],
      [2, '1#2'],
    ] as const) {
      turns.giveBack(holder)
      await settled()
      expect(served.at(-1)).toBe(next)
    }
    expect(turns.waiting).toBe(0)
  })

  it('give a place that comes back to a tenant that has none, not to the one that floods', async () => {
    const turns = new Turns({ places: 4 })
    expect(takeAll(turns, 1)).toBe(2)
    const flood = queue(turns, ...Array.from({ length: 100 }, () => 1))
    expect(takeAll(turns, 2)).toBe(1)
    expect(turns.take(3)).toBeUndefined()
    const served = queue(turns, 4)
    turns.giveBack(1)
    await settled()
    expect([served, flood]).toEqual([['4#0'], []])
  })

  it('refuse what comes to a full line, and nobody else', async () => {
    const turns = new Turns({ places: 4 })
    takeAll(turns, 1)
    queue(turns, ...Array.from({ length: MAX_LINE - 1 }, () => 1))
    expect(turns.waiting).toBe(MAX_LINE)
    await expect(turns.take(1)).rejects.toMatchObject({ errorCode: 'service_unavailable', retryAfterSeconds: 1 })
    expect(turns.take(2)).toBeUndefined()
    turns.close()
  })

  it('refuse who waits too long, also when a place comes back afterwards', async () => {
    const turns = new Turns({ places: 2 })
    expect(turns.take(1)).toBeUndefined()
    await expect(turns.take(1)).rejects.toMatchObject({ errorCode: 'service_unavailable', retryAfterSeconds: 1 })
    turns.giveBack(1)
    expect([turns.waiting, turns.take(1)]).toEqual([0, undefined])
  })

  it('refuse everybody when they are closed', async () => {
    const turns = new Turns({ places: 2 })
    expect(turns.take(1)).toBeUndefined()
    const waiting = turns.take(1)
    turns.close()
    await expect(waiting).rejects.toThrow('No connection to the database')
    await expect(turns.take(2)).rejects.toThrow('No connection to the database')
    turns.giveBack(1)
  })

  it('lose no place over many tenants that come and go', async () => {
    const turns = new Turns({ places: 5, reserved: 1 })
    let held = 0
    let most = 0
    const visit = async (tenant: number): Promise<void> => {
      for (let round = 0; round < 30; round++) {
        await turns.take(tenant)
        most = Math.max(most, ++held)
        await delay(Math.random() < 0.2 ? 1 : 0)
        held--
        turns.giveBack(tenant)
      }
    }
    await Promise.all(Array.from({ length: 24 }, (_, index) => visit(index % 8)))
    expect([held, turns.waiting, takeAll(turns, INTERNAL)]).toEqual([0, 0, 5])
    expect(most).toBeLessThanOrEqual(5)
  })
})

describe('exclusive connections', () => {
  it('give the place back when no connection can be made', async () => {
    const db = openDatabase('postgres://nobody@127.0.0.1:1/nothing', { maxConnections: 2 })
    const tenant = db.forTenant(7)
    for (let round = 0; round < 10; round++)
      await expect(tenant.transaction(async () => {})).rejects.toThrow('No connection to the database')
    expect(db.usage().pool).toEqual({ open: 0, idle: 0, waitingRequests: 0 })
    await db.close()
  })
})
