import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { ActiveTenants } from '@fulfillment/server/runtime/event-loop/active-tenants.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  // Far from the origin of the clock, as in a process that has run for a while.
  vi.advanceTimersByTime(60_000)
})

describe('a tenant is alone', () => {
  it('when nobody was seen, or it alone', () => {
    const tenants = new ActiveTenants()
    expect([tenants.isAlone(1), tenants.areSeveral]).toEqual([true, false])
    tenants.see(1)
    expect([tenants.isAlone(1), tenants.areSeveral]).toEqual([true, false])
  })

  it('when it alone goes on, second after second', () => {
    const tenants = new ActiveTenants()
    for (let second = 0; second < 5; second++) {
      tenants.see(1)
      expect([tenants.isAlone(1), tenants.areSeveral]).toEqual([true, false])
      vi.advanceTimersByTime(1_001)
    }
  })

  it('not when another was, and is one of several then', () => {
    const tenants = new ActiveTenants()
    tenants.see(1)
    vi.advanceTimersByTime(1_001)
    tenants.see(2)
    expect([tenants.isAlone(1), tenants.isAlone(2), tenants.areSeveral]).toEqual([false, false, true])
  })

  it('not while another is active, and neither is that one', () => {
    const tenants = new ActiveTenants()
    tenants.see(1)
    expect(tenants.isAlone(2)).toBe(false)
    expect(tenants.areSeveral).toBe(false)
    tenants.see(2)
    expect([tenants.isAlone(1), tenants.isAlone(2)]).toEqual([false, false])
    expect(tenants.areSeveral).toBe(true)
  })

  it('again one to two seconds after the other was last seen', () => {
    const tenants = new ActiveTenants()
    tenants.see(1)
    tenants.see(2)
    vi.advanceTimersByTime(1_001)
    tenants.see(1)
    // Seen more than a second ago, and still counted: this second has only begun.
    expect([tenants.isAlone(1), tenants.areSeveral]).toEqual([false, true])
    vi.advanceTimersByTime(1_001)
    tenants.see(1)
    expect([tenants.isAlone(1), tenants.areSeveral]).toEqual([true, false])
  })

  it('at once when nobody was seen for long', () => {
    const tenants = new ActiveTenants()
    tenants.see(1)
    tenants.see(2)
    vi.advanceTimersByTime(2_001)
    tenants.see(1)
    expect(tenants.isAlone(1)).toBe(true)
  })

  it('not while the other goes on, however long', () => {
    const tenants = new ActiveTenants()
    for (let second = 0; second < 30; second++) {
      tenants.see(1)
      if (second % 2 === 0) tenants.see(2)
      vi.advanceTimersByTime(501)
      tenants.see(1)
      expect(tenants.isAlone(1)).toBe(false)
    }
  })
})
