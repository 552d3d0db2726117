import { describe, expect, it } from 'vitest'
import { Steady } from '../../../web/scan/camera/steady.ts'
import { RepeatFilter } from '../../../web/scan/wedge/repeat-filter.ts'

describe('readings of the camera', () => {
  it.for([
    [['A'], []],
    [['A', 'A'], ['A']],
    [['A', 'B', 'A', 'B'], []],
    [['A', undefined, 'A'], ['A']],
    [['A', 'B', 'B', 'A'], ['B']],
  ] as const)('%j are the codes %j', ([readings, codes]) => {
    const steady = new Steady()
    expect(readings.flatMap((text) => steady.read(text) ?? [])).toEqual(codes)
  })
})

describe('the same text again', () => {
  it('from a scanner is a scan after 300 ms, however long the trigger stays pressed', () => {
    const filter = new RepeatFilter()
    expect([0, 200, 400, 500, 700].map((at) => filter.isRepeat('A', at, 'wedge'))).toEqual([false, true, false, true, false])
  })

  it('from the camera is a scan when it was out of sight for 1,500 ms', () => {
    const filter = new RepeatFilter()
    expect([0, 1_000, 2_000, 3_499, 5_000].map((at) => filter.isRepeat('A', at, 'camera'))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ])
  })

  it('from the camera is none while another code comes in between', () => {
    const filter = new RepeatFilter()
    const repeats = ['A', 'B', 'A', 'B'].map((text, index) => filter.isRepeat(text, index * 200, 'camera'))
    expect(repeats).toEqual([false, false, true, true])
  })

  it('from the camera is none while it is in view, if not nearest to the middle', () => {
    const filter = new RepeatFilter()
    filter.see('B', 0)
    expect(filter.isRepeat('A', 0, 'camera')).toBe(false)
    for (const at of [1_000, 2_000, 3_000]) for (const text of ['A', 'B']) filter.see(text, at)
    // Seen all the time, and not scanned yet.
    expect(filter.isRepeat('B', 3_100, 'camera')).toBe(false)
    expect(filter.isRepeat('A', 4_400, 'camera')).toBe(true)
    filter.see('A', 6_000)
    expect(filter.isRepeat('A', 6_000, 'camera')).toBe(false)
  })

  it('from a scanner is a scan although the camera sees it all the time', () => {
    const filter = new RepeatFilter()
    expect(filter.isRepeat('A', 0, 'camera')).toBe(false)
    expect(filter.isRepeat('A', 250, 'camera')).toBe(true)
    expect(filter.isRepeat('A', 400, 'wedge')).toBe(false)
    expect(filter.isRepeat('A', 450, 'camera')).toBe(true)
  })
})
