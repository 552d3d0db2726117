import { describe, expect, it } from 'vitest'
import { isCodeOf } from '@fulfillment/codes/gtin.ts'
import { RepeatFilter } from '../../../web/scan/wedge/repeat-filter.ts'
import { cleanScan, enrolmentCode, readScan } from '../../../web/scan/wedge/scan-text.ts'

describe('the text of a scan', () => {
  it.for([
    ['  A-01 ', 'A-01'],
    [']C1A-01', 'A-01'],
    [']E04006381333931', '4006381333931'],
    ['\u00024006381333931\u0003', '4006381333931'],
    ['01040\u001D10AB', '01040\u001D10AB'],
    ['][x', '][x'],
  ] as const)('%j is %j', ([text, clean]) => {
    expect(cleanScan(text)).toBe(clean)
  })

  it.for([
    ['FC-OK', { kind: 'command', command: 'FC-OK' }],
    [']C1FC-UNDO', { kind: 'command', command: 'FC-UNDO' }],
    ['FB-12-0ABCDEFGHJKMN', { kind: 'badge', badge: 'FB-12-0ABCDEFGHJKMN' }],
    ['https://stock.example/scan#code=7-0ABCDEFGHJKMNPQR', { kind: 'enrolment', code: '7-0ABCDEFGHJKMNPQR' }],
    ['FC-12', { kind: 'code', texts: ['FC-12'], codes: ['FC-12'] }],
    ['FB-12', { kind: 'code', texts: ['FB-12'], codes: ['FB-12'] }],
    [' 4006381333931', { kind: 'code', texts: ['4006381333931'], codes: ['4006381333931'] }],
    // The prefix is kept for those who read GS1 codes.
    [']C110AB\u001D', { kind: 'code', texts: ['10AB\u001D'], codes: [']C110AB\u001D'] }],
    ['   ', undefined],
  ] as const)('%s', ([text, scanned]) => {
    expect(readScan([text])).toEqual(scanned)
  })

  it('is tried as a scanner with another layout means it, after what the device read', () => {
    expect(readScan(['FBß12ß0', 'FB-12-0'])).toEqual({ kind: 'badge', badge: 'FB-12-0' })
    const address = 'https://stock.example/scan#code='
    expect(readScan([`${address}7+AB`, `${address}7-AB`])).toEqual({ kind: 'enrolment', code: '7-AB' })
    expect(readScan(['Aß01', 'A-01'])).toEqual({ kind: 'code', texts: ['Aß01', 'A-01'], codes: ['Aß01', 'A-01'] })
    expect(readScan(['A-01', 'A-01'])).toEqual({ kind: 'code', texts: ['A-01'], codes: ['A-01'] })
  })

  it('a typed enrolment is an address or a code', () => {
    expect(enrolmentCode(' https://stock.example/scan#code=7-AB ')).toBe('7-AB')
    expect(enrolmentCode(' 7-AB ')).toBe('7-AB')
  })
})

describe('product codes are the same', () => {
  it.for([
    ['TEA', 'TEA', true],
    ['TEA', 'tea', false],
    ['4006381333931', '04006381333931', true],
    ['012345678905', '0012345678905', true],
    ['96385074', '00000096385074', true],
    ['96385074', '096385074', false],
    ['1', '01', false],
    ['4006381333931', '4006381333932', false],
    ['00001234', '1234', false],
  ] as const)('%s and %s: %s', ([one, other, same]) => {
    expect(isCodeOf(one, other)).toBe(same)
    expect(isCodeOf(other, one)).toBe(same)
  })

  it.for([
    ['04252614', '042100005264', true],
    ['04252614', '0042100005264', true],
    ['04252614', '042100005265', false],
    ['04252615', '042100005264', false],
    // Both a GTIN-8 and a UPC-E.
    ['04252658', '042526000058', true],
    ['04252658', '0000004252658', true],
    // As on the server, a barcode is taken as it is registered.
    ['042100005264', '04252614', false],
  ] as const)('UPC-E %s and barcode %s: %s', ([code, barcode, same]) => {
    expect(isCodeOf(code, barcode)).toBe(same)
  })
})

describe('the same scan again', () => {
  it('within 300 ms is one, later another', () => {
    const filter = new RepeatFilter()
    const repeats = [0, 299, 300, 599, 600].map((at) => filter.isRepeat('A', at, 'wedge'))
    expect(repeats).toEqual([false, true, false, true, false])
  })

  it('from the camera within 1,500 ms of when it was last seen', () => {
    const filter = new RepeatFilter()
    const repeats = [0, 1_499, 2_998, 4_498].map((at) => filter.isRepeat('A', at, 'camera'))
    expect(repeats).toEqual([false, true, true, false])
  })

  it('after another one is new', () => {
    const filter = new RepeatFilter()
    expect(['A', 'B', 'A'].map((text, index) => filter.isRepeat(text, index * 50, 'wedge'))).toEqual([false, false, false])
  })
})
