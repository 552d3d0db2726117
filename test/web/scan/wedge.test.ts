import { describe, expect, it } from 'vitest'
import { Wedge, type WedgeKey, type WedgeScan, type WedgeSettings } from '../../../web/scan/wedge/wedge.ts'
import { burst, ENTER, keystrokes, TAB } from '../support/bursts.ts'

const SETTINGS: WedgeSettings = { gapMs: 35, endsInSilence: false }

/** Gaps between the keys of scanners, as they were measured: a fast one over USB, one over Bluetooth, a slow one that stumbles. */
const GAPS = {
  'USB, 5 ms': [5, 5, 6, 5, 5, 4, 5, 7],
  'Bluetooth, 7 to 19 ms': [7, 19, 11, 8, 15, 7, 12],
  'slow, up to 34 ms': [22, 34, 29, 34, 18, 33],
}

function scansOf(keys: readonly WedgeKey[], settings = SETTINGS): WedgeScan[] {
  const wedge = new Wedge(settings)
  return keys.flatMap((key) => {
    const step = wedge.press(key)
    return step.kind === 'scan' ? [step.scan] : []
  })
}

const textsOf = (keys: readonly WedgeKey[], settings = SETTINGS): string[] => scansOf(keys, settings).map(({ text }) => text)

/** Times with these gaps, again and again. */
const timed =
  (gaps: readonly number[], from = 1_000) =>
  (index: number): number =>
    Array.from({ length: index }, (_, at) => gaps[at % gaps.length] ?? 0).reduce((sum, gap) => sum + gap, from)

describe('a burst is a scan', () => {
  it.for(Object.entries(GAPS))('%s', ([, gaps]) => {
    for (const text of ['4006381333931', 'A-01-03', 'FB-12-0ABCDEFGHJKMN', 'https://stock.example/scan#code=7-ABC'])
      expect(textsOf(burst([...keystrokes(text), ENTER], timed(gaps)))).toEqual([text])
  })

  it('that ends with Tab, or with an Enter that comes late', () => {
    expect(textsOf(burst([...keystrokes('A-01'), TAB], timed([10])))).toEqual(['A-01'])
    const late = burst([...keystrokes('A-01'), ENTER], (index) => (index < 4 ? index * 10 : 30 + 60))
    expect(textsOf(late)).toEqual(['A-01'])
  })

  it('at the time of its last key', () => {
    expect(scansOf(burst([...keystrokes('A-01'), ENTER], timed([10]))).map(({ at }) => at)).toEqual([1_040])
  })

  it('two of them back to back are two', () => {
    const keys = [...keystrokes('A-01'), ENTER, ...keystrokes('4006381333931'), ENTER]
    expect(textsOf(burst(keys, timed([6])))).toEqual(['A-01', '4006381333931'])
  })

  it('after characters that a person typed, without them', () => {
    const typed = burst(keystrokes('12'), timed([140], 0))
    expect(textsOf([...typed, ...burst([...keystrokes('A-01'), ENTER], timed([9], 400))])).toEqual(['A-01'])
  })

  it('with separators of GS1 codes, whatever the layout', () => {
    const text = '0104006381333931\u001D3103001500'
    for (const layout of ['us', 'german'] as const)
      expect(scansOf(burst([...keystrokes(text, layout), ENTER], timed([8])))).toMatchObject([{ usText: text }])
  })

  it('is read again as a US keyboard types it', () => {
    const [scan] = scansOf(burst([...keystrokes('ZY-01_a', 'german'), ENTER], timed([8])))
    expect(scan).toMatchObject({ text: 'YZß01?a', usText: 'ZY-01_a' })
  })

  it('with the character of a US keyboard for a dead key, in both readings', () => {
    const [scan] = scansOf(burst([...keystrokes('ZY=+', 'german'), ENTER], timed([8])))
    expect(scan).toMatchObject({ text: 'YZ=+', usText: 'ZY=+' })
  })

  it('without Enter if the device is set so: 80 ms of silence end it', () => {
    const wedge = new Wedge({ gapMs: 35, endsInSilence: true })
    for (const key of burst(keystrokes('400638'), timed([10], 0))) wedge.press(key)
    expect(wedge.silence(50 + 79).kind).toBe('other')
    expect(wedge.silence(50 + 80)).toMatchObject({ kind: 'scan', scan: { text: '400638' } })
    expect(wedge.silence(50 + 200).kind).toBe('other')
  })
})

describe('no scan is', () => {
  it.for([
    ['what a person types', burst([...keystrokes('4006381333931'), ENTER], timed([36]))],
    [
      'a fast burst whose Enter is a person',
      burst([...keystrokes('A-01'), ENTER], (index) => (index < 4 ? index * 10 : 30 + 61)),
    ],
    ['one character and Enter', burst([...keystrokes('5'), ENTER], timed([10]))],
    ['Enter alone', burst([ENTER], timed([10]))],
    ['a burst without an end', burst(keystrokes('4006381333931'), timed([5]))],
  ] as const)('%s', ([, keys]) => {
    expect(textsOf(keys)).toEqual([])
  })

  it('a burst without Enter that is short, unless silence may end it', () => {
    const wedge = new Wedge({ gapMs: 35, endsInSilence: true })
    for (const key of burst(keystrokes('A-001'), timed([10], 0))) wedge.press(key)
    expect(wedge.silence(1_000).kind).toBe('other')
    const off = new Wedge(SETTINGS)
    for (const key of burst(keystrokes('4006381333931'), timed([10], 0))) off.press(key)
    expect(off.silence(1_000).kind).toBe('other')
  })

  it.for(['isComposing', 'repeat', 'altKey', 'metaKey'] as const)('a key with %s', (flag) => {
    expect(textsOf(burst([...keystrokes('A-01'), ENTER], timed([10])).map((key) => ({ ...key, [flag]: true })))).toEqual([])
  })

  it('a shortcut with Ctrl', () => {
    const keys = burst(keystrokes('ac'), timed([10])).map((key) => ({ ...key, ctrlKey: true }))
    expect(textsOf([...keys, ...burst([ENTER], timed([10], 1_020))])).toEqual([])
  })
})

it('says where a burst begins, so that its characters can be taken out of a text field', () => {
  const wedge = new Wedge(SETTINGS)
  const typed = burst(keystrokes('5'), timed([0], 0))
  const kinds = [...typed, ...burst([...keystrokes('A-1'), ENTER], timed([10], 500))].map((key) => wedge.press(key).kind)
  expect(kinds).toEqual(['first', 'other', 'first', 'more', 'more', 'scan'])
})

it("a further Enter or Tab at the end of a scan is the scanner's; a later one is a person's", () => {
  const kindsOf = (keys: readonly WedgeKey[]): string[] => {
    const wedge = new Wedge(SETTINGS)
    return keys.map((key) => wedge.press(key).kind)
  }
  const scan = [...keystrokes('12'), ENTER]
  expect(kindsOf(burst([...scan, ENTER, TAB], timed([10])))).toEqual(['first', 'more', 'scan', 'tail', 'tail'])
  expect(kindsOf([...burst(scan, timed([10], 0)), ...burst([ENTER], timed([0], 20 + 61))]).at(-1)).toBe('other')
  expect(textsOf(burst([...scan, ENTER, ...scan, ENTER], timed([10])))).toEqual(['12', '12'])
})

it('joins slower characters when the device is set so', () => {
  const keys = burst([...keystrokes('A-01'), ENTER], timed([55]))
  expect(textsOf(keys)).toEqual([])
  expect(textsOf(keys, { gapMs: 60, endsInSilence: false })).toEqual(['A-01'])
})

it('waits for the Enter of a slow scanner as long as for its characters', () => {
  const slow: WedgeSettings = { gapMs: 120, endsInSilence: false }
  expect(textsOf(burst([...keystrokes('A-01'), ENTER], timed([100])), slow)).toEqual(['A-01'])
  expect(
    textsOf(
      burst([...keystrokes('A-01'), ENTER], (index) => (index < 4 ? index * 10 : 30 + 121)),
      slow,
    ),
  ).toEqual([])
  const wedge = new Wedge(slow)
  const kinds = burst([...keystrokes('12'), ENTER, TAB], timed([100])).map((key) => wedge.press(key).kind)
  expect(kinds).toEqual(['first', 'more', 'scan', 'tail'])
})

it('takes no pause between the characters of a slow scanner for their end', () => {
  const wedge = new Wedge({ gapMs: 120, endsInSilence: true })
  for (const key of burst(keystrokes('400638'), timed([100], 0))) wedge.press(key)
  expect(wedge.silence(500 + 139).kind).toBe('other')
  expect(wedge.silence(500 + 140)).toMatchObject({ kind: 'scan', scan: { text: '400638' } })
})
