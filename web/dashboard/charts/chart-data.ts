/** How a series is told from the others beside its colour. */
export const PATTERNS = ['solid', 'rising', 'dots', 'falling', 'grid'] as const
export type Pattern = (typeof PATTERNS)[number]

/** Colours of series, from the tokens. */
export type Tone = 'accent' | 'ok' | 'warn' | 'bad' | 'muted' | 'state1' | 'state2' | 'state3' | 'state5' | 'state7'

/** Numbers of one kind in a chart. */
export interface Series {
  id: string
  label: string
  tone: Tone
  pattern: Pattern
}

/** The numbers at one place of the horizontal axis. */
export interface Point {
  id: string
  /** As the reading and the table name it: "Nov 3, 2026". */
  label: string
  /** As the axis names it: "Nov 3". */
  short: string
  /** One for each series; null where nothing was measured. */
  values: readonly (number | null)[]
}

/** What a chart shows, however it is drawn. */
export interface ChartData {
  /** `step` and `line`: a line for each series. `bars`: one on the other. */
  kind: 'step' | 'line' | 'bars'
  series: readonly Series[]
  points: readonly Point[]
  /** A value that the first series should not fall below. */
  threshold?: { value: number; label: string } | undefined
}

/** The most that a chart has to show, at least 1. */
export function highestOf({ kind, points, threshold }: ChartData): number {
  const ofPoint = ({ values }: Point): number =>
    kind === 'bars'
      ? values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
      : Math.max(...values.map((value) => value ?? 0))
  return points.reduce((highest, point) => Math.max(highest, ofPoint(point)), Math.max(1, threshold?.value ?? 0))
}

/** A bar is no wider in text of the usual size, with the room beside it. */
const WIDEST_BAR = 56

/** From where to where the points of a chart of this width reach, in pixels. Each has an equal share of it. */
export function extentOf(kind: ChartData['kind'], points: number, width: number, zoom: number): [left: number, right: number] {
  const { left, right } = marginOf(zoom)
  const widest = kind === 'bars' ? left + points * WIDEST_BAR * zoom : Infinity
  return [left, Math.max(Math.min(width - right, widest), left + 1)]
}

/** Room around the marks for the axes, in pixels. */
export function marginOf(zoom: number): Record<'top' | 'right' | 'bottom' | 'left', number> {
  return { top: 8 * zoom, right: 8 * zoom, bottom: 22 * zoom, left: 72 * zoom }
}
