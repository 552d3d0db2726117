import type { ChartData } from './chart-data.ts'
import styles from './chart.module.css'
import { PatternOf, patternId } from './pattern.tsx'
import { useId } from 'react'

/** What the colours and patterns of a chart mean. One series needs no legend but its threshold. */
export function Legend({ data: { kind, series, threshold } }: { data: ChartData }) {
  const id = useId()
  return (
    <ul className={styles.legend}>
      {series.length > 1 &&
        series.map((one) => (
          <li key={one.id}>
            <svg width={16} height={12} aria-hidden className={styles[one.tone]}>
              {kind === 'bars' ? (
                <>
                  <PatternOf series={one} id={id} />
                  <rect width={16} height={12} fill={`url(#${patternId(id, one)})`} stroke="currentColor" />
                </>
              ) : (
                <line x1={0} x2={16} y1={6} y2={6} className={styles.line} strokeDasharray={dashOf(one.pattern)} />
              )}
            </svg>
            {one.label}
          </li>
        ))}
      {threshold !== undefined && (
        <li>
          <svg width={16} height={12} aria-hidden className={styles.bad}>
            <line x1={0} x2={16} y1={6} y2={6} className={styles.threshold} />
          </svg>
          {threshold.label}
        </li>
      )}
    </ul>
  )
}

/** Lines are told apart by their dashes. */
export const dashOf = (pattern: string): string | undefined => (pattern === 'solid' ? undefined : '5 3')
