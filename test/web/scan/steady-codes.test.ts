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
})
