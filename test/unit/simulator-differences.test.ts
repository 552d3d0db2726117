import { describe, expect, it } from 'vitest'
import { difference } from '../simulator/difference.ts'
import { otherEntry } from '../simulator/features/timeline.ts'

describe('a difference that the simulator finds', () => {
  it.each([
    [{ a: 1 }, { a: 1, more: 2 }, undefined],
    [{ a: { b: [1, 2] } }, { a: { b: [1, 3] } }, 'a.b.1: expected 2, got 3'],
    [[1, 2, 3], [1, 3], '1: expected 2, got 3'],
    [[1, 2], [1], '1: expected 2, got nothing'],
    [{ a: [() => true] }, { a: [] }, 'a.0: expected undefined, got nothing'],
    [{ a: [1] }, { a: [1, 7, 8] }, 'a.1: expected nothing, got 7'],
    [{ a: undefined }, { a: 1 }, 'a: expected undefined, got 1'],
    [{ a: [] }, { a: {} }, 'a: expected [], got {}'],
    [{ a: () => true }, {}, undefined],
    [{ a: () => false }, { a: [1] }, 'a is [1]'],
    [{ a: () => 'is wrong' }, { a: [1] }, 'a: is wrong'],
  ])('between %j and %j', (expected, actual, found) => {
    expect(difference(expected, actual)).toBe(found)
  })
})

describe('a timeline of other entries', () => {
  const other = (expected: unknown[], actual: unknown[]) =>
    otherEntry(
      expected,
      actual.map((data, index) => ({ index: index + 3, data })),
      (data) => data,
    )

  it('is told by the first of them', () => {
    expect(other([[1], [2]], [[2], [1]])).toBe(undefined)
    expect(other([[1], [2], [2]], [[2], [2], [1]])).toBe(undefined)
    expect(other([[1], [2], [3]], [[3], [7], [1]])).toBe('entry 4: expected [2], got [7]')
    expect(other([[1]], [[1], [1], [9]])).toBe('entry 4: expected no such entry, got [1]')
    expect(other([[1], [2], [3]], [[1]])).toBe('expected an entry [2], which is not there')
  })
})
