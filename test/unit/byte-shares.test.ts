import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ByteShares, NOBODY } from '@fulfillment/server/http/limits/byte-shares.ts'
import { ActiveTenants } from '@fulfillment/server/runtime/event-loop/active-tenants.ts'

const LIMITS = { perTenant: 16, perSharing: 5, inAll: 256 }

function twoActive(): ActiveTenants {
  const tenants = new ActiveTenants()
  tenants.see(1)
  tenants.see(2)
  return tenants
}

/** Asks for bytes three times; the returned list has a function for each time they were given. */
function askThrice(shares: ByteShares, tenantId: number, bytes: number): (() => void)[] {
  const given: (() => void)[] = []
  for (let n = 0; n < 3; n++) void shares.holdWhenFree(tenantId, bytes).then((release) => given.push(release))
  return given
}

it('a single tenant holds up to its limit; the next request gets what another one releases', async () => {
  const shares = new ByteShares(LIMITS, new ActiveTenants())
  const given = askThrice(shares, 1, 7)
  await delay(60)
  expect(given).toHaveLength(2)
  given[0]?.()
  await expect.poll(() => given).toHaveLength(3)
  expect(shares.total).toBe(14)
})

it('a tenant beside others holds less, so that their requests do not wait while it is received', async () => {
  const shares = new ByteShares(LIMITS, twoActive())
  const given = askThrice(shares, 1, 4)
  await delay(60)
  expect(given).toHaveLength(1)
  given[0]?.()
  await expect.poll(() => given).toHaveLength(2)
})

it('a small request passes large ones that do not fit yet', async () => {
  const shares = new ByteShares(LIMITS, twoActive())
  askThrice(shares, 1, 4)
  expect(await shares.holdWhenFree(1, 1)).toBeTypeOf('function')
})

it('memory that is given back goes to a request that waits, not to the next one that asks', async () => {
  const shares = new ByteShares(LIMITS, twoActive())
  const release = shares.hold(1, 4)
  const given: string[] = []
  void shares.holdWhenFree(1, 4).then(() => given.push('the one that waited'))
  release()
  void shares.holdWhenFree(1, 4).then(() => given.push('the one that came later'))
  await expect.poll(() => given.length).toBe(1)
  expect(given).toEqual(['the one that waited'])
})

it('a part can be given back before the rest, and nothing twice', () => {
  const shares = new ByteShares(LIMITS, new ActiveTenants())
  const release = shares.hold(1, 7)
  const totals = [2, 5, undefined, 3].map((kept) => {
    release(kept)
    return shares.total
  })
  expect(totals).toEqual([2, 2, 0, 0])
})

it('what those without a key leave unread refuses them, and no tenant', () => {
  const shares = new ByteShares(LIMITS, new ActiveTenants())
  shares.hold(NOBODY, 3 * LIMITS.inAll)
  shares.requireRoom(1)
  expect(() => shares.requireRoom(NOBODY)).toThrow('too much data')
})
