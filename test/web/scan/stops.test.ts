import { describe, expect, it } from 'vitest'
import { type OpenLine, type StopOptions, stopsOf } from '../../../web/scan/picking/stops.ts'

const line = (id: number, left: number, stock: Record<string, number>, product = id): OpenLine => ({
  order_detail_id: id,
  product_id: product,
  left,
  levels: Object.entries(stock).map(([code, quantity]) => ({ location_id: code, location_code: code, quantity })),
})

const shown = (lines: OpenLine[], options?: StopOptions): string[] =>
  stopsOf(lines, options).map(
    ({ order_detail_id, location, quantity }) => `${quantity} of ${order_detail_id} at ${location?.code}`,
  )

describe('stops', () => {
  it('are in the natural order of location codes', () => {
    const codes = ['B-1', 'A-10', 'A-2', 'A-1-10', 'A-1-9']
    expect(stopsOf(codes.map((code, index) => line(index, 1, { [code]: 5 }))).map(({ location }) => location?.code)).toEqual([
      'A-1-9',
      'A-1-10',
      'A-2',
      'A-10',
      'B-1',
    ])
  })

  it('are in the order of pick sequences, before those without one', () => {
    const sequences: Record<string, number> = { 'C-1': 0, 'B-1': 20, 'B-2': 20, 'A-9': 100 }
    const codes = ['A-10', 'A-9', 'B-2', 'A-2', 'C-1', 'B-1']
    const lines = codes.map((code, index) => {
      const one = line(index, 1, { [code]: 5 })
      const [level] = one.levels
      return { ...one, levels: [{ ...level!, pick_sequence: sequences[code] }] }
    })
    expect(stopsOf(lines).map(({ location }) => location?.code)).toEqual(['C-1', 'B-1', 'B-2', 'A-9', 'A-2', 'A-10'])
  })

  it('take a line from its fullest location, and only what is missing from the next', () => {
    expect(shown([line(1, 5, { 'A-1': 2, 'B-1': 9 })])).toEqual(['5 of 1 at B-1'])
    expect(shown([line(1, 12, { 'A-1': 2, 'B-1': 9, 'C-1': 4 })])).toEqual(['9 of 1 at B-1', '3 of 1 at C-1'])
  })

  it('give stock to one line only', () => {
    expect(shown([line(1, 3, { 'A-1': 4, 'B-1': 2 }, 7), line(2, 3, { 'A-1': 4, 'B-1': 2 }, 7)])).toEqual([
      '3 of 1 at A-1',
      '1 of 2 at A-1',
      '2 of 2 at B-1',
    ])
  })

  it('have no location for what is not in stock, and come last then', () => {
    expect(shown([line(1, 3, {}), line(2, 5, { 'Z-9': 4 })])).toEqual([
      '4 of 2 at Z-9',
      '3 of 1 at undefined',
      '1 of 2 at undefined',
    ])
  })

  it('take lines from the location that the operator chose', () => {
    expect(shown([line(1, 5, { 'A-1': 2, 'B-1': 9 })], { first: 'A-1' })).toEqual(['2 of 1 at A-1', '3 of 1 at B-1'])
  })

  it('come last when they were skipped, in the order of skipping', () => {
    const lines = [line(1, 1, { 'A-1': 1 }), line(2, 1, { 'A-2': 1 }), line(3, 1, { 'A-3': 1 })]
    expect(shown(lines, { skipped: ['2@A-2', '1@A-1'] })).toEqual(['1 of 3 at A-3', '1 of 2 at A-2', '1 of 1 at A-1'])
  })

  it('have quantities with three decimals', () => {
    expect(shown([line(1, 0.3, { 'A-1': 0.1, 'B-1': 0.1, 'C-1': 0.1 })])).toEqual([
      '0.1 of 1 at A-1',
      '0.1 of 1 at B-1',
      '0.1 of 1 at C-1',
    ])
  })
})
