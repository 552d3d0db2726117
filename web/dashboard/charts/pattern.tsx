import type { Pattern, Series } from './chart-data.ts'
import styles from './chart.module.css'

export const patternId = (id: string, series: Pick<Series, 'id'>): string => `${id}${series.id}`

/** Lines in a square of 8, by pattern. */
const STROKES: Record<Exclude<Pattern, 'solid' | 'dots'>, string> = {
  rising: 'M-2 10 L10 -2 M-2 2 L2 -2 M6 10 L10 6',
  falling: 'M-2 -2 L10 10 M-2 6 L2 10 M6 -2 L10 2',
  grid: 'M0 4 H8 M4 0 V8',
}

/** The fill of a series: its colour, and a pattern for those who see no colours. */
export function PatternOf({ series, id }: { series: Series; id: string }) {
  const { tone, pattern } = series
  return (
    <defs>
      <pattern id={patternId(id, series)} width={8} height={8} patternUnits="userSpaceOnUse" className={styles[tone]}>
        <rect width={8} height={8} className={pattern === 'solid' ? styles.fill : styles.ground} />
        {pattern === 'dots' && <circle cx={4} cy={4} r={1.8} className={styles.fill} />}
        {pattern !== 'solid' && pattern !== 'dots' && <path d={STROKES[pattern]} className={styles.stroke} />}
      </pattern>
    </defs>
  )
}
