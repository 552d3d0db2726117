import type { Page } from 'playwright-core'
import type { Outcome } from '../../../../web/scan/feedback.ts'

/** What the screen of the device tells an operator. */
export interface Seen {
  screen: 'queue' | 'pick' | 'finish' | 'problems' | 'other'
  /** Of the address. */
  flow: number
  heading: string
  /** What is expected next on the Pick screen. */
  expected: string
  product: string
  barcode: string
  /** What is left of the stop, and what was taken of it. */
  take: number
  taken: number
  /** The message that blocks. */
  problem: string | undefined
  refused: number
  connection: string
}

/** What a scan or tap led to. `none` if the operator heard nothing. */
export interface Heard {
  outcome: Outcome | 'none'
  /** What the status `Last scan` says. */
  said: string
  ms: number
}

const PATIENCE_MS = 30_000

/** Reads the screen. */
export function look(page: Page): Promise<Seen> {
  return page.evaluate(() => {
    const heading = document.querySelector('h1')?.textContent ?? ''
    const parts = [...document.querySelectorAll('main p, main span')]
    const read = (pattern: RegExp): string =>
      parts.map(({ textContent }) => pattern.exec(textContent)?.[1]).find((text) => text !== undefined) ?? ''
    const code = parts.find(({ textContent }) => textContent.startsWith('Code '))
    const screens = { 'Orders to pick': 'queue', Problems: 'problems' } as const
    const isPick = document.querySelector('progress') !== null
    const named = screens[heading as keyof typeof screens] ?? (heading.startsWith('Finish ') ? 'finish' : 'other')
    return {
      screen: isPick ? 'pick' : named,
      flow: Number(/\d+$/.exec(location.hash)?.[0] ?? 0),
      heading,
      expected: read(/^Scan (.+)$/),
      product: code?.previousElementSibling?.textContent ?? '',
      barcode: read(/^Code (.+)$/),
      take: Number(read(/^Take ([\d.]+)$/)),
      taken: Number(read(/^Taken here: ([\d.]+)$/)),
      problem: document.querySelector('dialog[open][role=alertdialog] strong')?.textContent,
      refused: Number(
        /\d+/.exec([...document.querySelectorAll('header button')].map((button) => button.textContent).join(' '))?.[0] ?? 0,
      ),
      connection: document.querySelector('[role=status][aria-label=Connection]')?.textContent ?? '',
    }
  })
}

/**
 * Scans a code as fast as a wedge can, and waits for the verdict. The keys are events of the page: those of the debugging protocol take
 * ten times as long, and are what the tests of the wedge are about.
 */
export const scan = (page: Page, text: string): Promise<Heard> =>
  page.evaluate(heardAfter, { keys: keysOf(text), button: '', patienceMs: PATIENCE_MS })

/** The same, unless the screen no longer shows this stop: between a look and a scan, a busy machine lets more time pass than a hand takes. */
export const scanAt = (page: Page, stop: Seen, text: string): Promise<Heard> =>
  page.evaluate(heardAfter, { keys: keysOf(text), button: '', patienceMs: PATIENCE_MS, stop: textsOf(stop) })

/** Presses the button with this name, in the topmost dialog or on the screen, and waits for the verdict. */
export const press = (page: Page, button: string): Promise<Heard> =>
  page.evaluate(heardAfter, { keys: [], button, patienceMs: PATIENCE_MS })

/** Scans a command whose button opens or closes something, for which there is no verdict. */
export async function command(page: Page, text: string): Promise<void> {
  await page.evaluate(heardAfter, { keys: keysOf(text), button: '', patienceMs: 0 })
}

/** Presses a button that opens or closes something. */
export async function open(page: Page, button: string): Promise<void> {
  await page.evaluate(heardAfter, { keys: [], button, patienceMs: 0 })
}

const keysOf = (text: string): string[] => [...Array.from(text), 'Enter']

/** What the Pick screen says of a stop. */
const textsOf = ({ heading, product }: Pick<Seen, 'heading' | 'product'>): string[] => [heading, product]

/** Whether the screen shows the stop that was seen. */
export const isSameStop = (one: Seen, other: Seen): boolean => textsOf(one).join('\n') === textsOf(other).join('\n')

interface Act {
  keys: string[]
  button: string
  patienceMs: number
  stop?: string[]
}

/** Runs in the page, so it stands alone. */
async function heardAfter({ keys, button, patienceMs, stop = [] }: Act): Promise<Heard> {
  const shown = new Set([...document.querySelectorAll('main h1, main p')].map(({ textContent }) => textContent))
  if (!stop.every((text) => shown.has(text))) return { outcome: 'none', said: '', ms: 0 }
  performance.clearMeasures('scan')
  const isOnQueue = (): boolean => document.querySelector('h1')?.textContent === 'Orders to pick'
  const hadFlow = !isOnQueue()
  for (const key of keys)
    (document.activeElement ?? document.body).dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
    )
  const find = (): HTMLButtonElement | undefined => {
    const top = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document
    return [...top.querySelectorAll('button')].find((element) => (element.ariaLabel ?? element.textContent) === button)
  }
  if (button !== '') {
    // A dialog that was just opened.
    for (let tries = 0; find() === undefined && tries < 500; tries++) await new Promise((resolve) => setTimeout(resolve, 2))
    find()?.click()
  }
  let until = performance.now() + patienceMs
  let measure: PerformanceEntry | undefined
  do {
    await new Promise((resolve) => setTimeout(resolve, 2))
    measure = performance.getEntriesByName('scan')[0]
    // The flow has left the device, and with it the button that was pressed.
    if (hadFlow && isOnQueue()) until = Math.min(until, performance.now() + 1_000)
  } while (measure === undefined && performance.now() < until)
  const said = document.querySelector('[aria-label="Last scan"]')?.textContent ?? ''
  const outcome = (measure as PerformanceMeasure | undefined)?.detail.outcome as Outcome | undefined
  return { outcome: outcome ?? 'none', said, ms: measure?.duration ?? 0 }
}
