import { area, curveLinear, curveStep, line } from 'd3-shape'
import type { MarksProps } from './bars.tsx'
import type { Point, Series } from './chart-data.ts'
import styles from './chart.module.css'
import { dashOf } from './legend.tsx'
import { PatternOf, patternId } from './pattern.tsx'

/** What is below the threshold is hatched. */
const BELOW: Series = { id: 'below', label: '', tone: 'bad', pattern: 'rising' }

/** A line for each series, broken where nothing was measured; what the first one lacks to the threshold is shaded. */
export function Lines({ data: { kind, series, points, threshold }, x, y, id, base }: MarksProps & { base: number }) {
  const curve = kind === 'step' ? curveStep : curveLinear
  const middle = (_: unknown, at: number): number => (x(at) ?? 0) + x.bandwidth() / 2
  const below =
    threshold &&
    area<Point>()
      .x(middle)
      .y0(({ values }) => Math.min(y(Math.min(values[0] ?? 0, threshold.value)), base))
      .y1(y(threshold.value))
      .curve(curve)(points)
  return (
    <>
      {threshold !== undefined && (
        <g className={styles.bad}>
          <PatternOf series={BELOW} id={id} />
          <path d={below ?? ''} fill={`url(#${patternId(id, BELOW)})`} />
          <line
            x1={x.range()[0]}
            x2={x.range()[1]}
            y1={y(threshold.value)}
            y2={y(threshold.value)}
            className={styles.threshold}
          />
        </g>
      )}
      {series.map((one, place) => (
        <g key={one.id} className={styles[one.tone]} data-series={one.id}>
          <path
            d={
              line<Point>()
                .defined(({ values }) => isMeasured(values[place]))
                .x(middle)
                .y(({ values }) => y(values[place] ?? 0))
                .curve(curve)(points) ?? ''
            }
            className={styles.line}
            strokeDasharray={dashOf(one.pattern)}
          />
          {points.map(
            ({ id: key, values }, at) =>
              isAlone(points, place, at) && (
                <circle key={key} cx={middle(undefined, at)} cy={y(values[place] ?? 0)} r={3} className={styles.fill} />
              ),
          )}
        </g>
      ))}
    </>
  )
}

const isMeasured = (value: number | null | undefined): value is number => typeof value === 'number'

/** Whether a point is measured and its neighbours are not: no line leads to it. */
function isAlone(points: readonly Point[], place: number, at: number): boolean {
  const [before, value, after] = [at - 1, at, at + 1].map((index) => points[index]?.values[place])
  return isMeasured(value) && !isMeasured(before) && !isMeasured(after)
}
