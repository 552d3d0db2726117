import { scaleBand, scaleLinear } from 'd3-scale'
import { useId } from 'react'
import { formatNumber, formatShortNumber } from '../../shared/format.ts'
import { Bars } from './bars.tsx'
import { type ChartData, extentOf, highestOf, marginOf } from './chart-data.ts'
import styles from './chart.module.css'
import { Lines } from './lines.tsx'
import { type Size, useSize } from './use-size.ts'

export interface DrawingProps {
  data: ChartData
  /** The point that is read. */
  index: number | undefined
  withUnit: (number: string) => string
}

/** In text of the usual size. */
const HEIGHT = 200
/** Room for a label of the horizontal axis, in text of the usual size. */
const LABEL_WIDTH = 72
/** From so many bars on, there is no room between them. */
const MANY_BARS = 60
/** From here on, the numbers of the vertical axis are short: written out, there is no room for those of large quantities. */
const SHORT_FROM = 1_000_000

/** The marks of a chart, as wide as there is room. */
export function Drawing({ data, index, withUnit }: DrawingProps) {
  const [ref, size] = useSize()
  const id = useId()
  const { points, kind } = data
  const { width, zoom } = size
  const margin = marginOf(zoom)
  const height = HEIGHT * zoom
  const base = height - margin.bottom
  const x = scaleBand<number>(
    points.map((_, at) => at),
    extentOf(kind, points.length, width, zoom),
  )
  if (kind === 'bars' && points.length <= MANY_BARS) x.paddingInner(0.2)
  const y = scaleLinear([0, highestOf(data)], [base, margin.top]).nice(4)
  const format = (y.domain()[1] ?? 0) < SHORT_FROM ? formatNumber : formatShortNumber
  const every = everyOf(points.length, size)
  return (
    <div ref={ref} className={styles.size}>
      {width > 0 && points.length > 0 && (
        <svg width={width} height={height} aria-hidden>
          {y.ticks(4).map((tick) => (
            <g key={tick}>
              <line x1={margin.left} x2={width - margin.right} y1={y(tick)} y2={y(tick)} className={styles.grid} />
              <text x={margin.left - 6 * zoom} y={y(tick)} dy="0.35em" className={styles.tickY}>
                {withUnit(format(tick))}
              </text>
            </g>
          ))}
          {points.map(
            ({ id: key, short }, at) =>
              at % every === 0 && (
                <text key={key} x={(x(at) ?? 0) + x.bandwidth() / 2} y={height - 6 * zoom} className={styles.tickX}>
                  {short}
                </text>
              ),
          )}
          {kind === 'bars' ? <Bars data={data} x={x} y={y} id={id} /> : <Lines data={data} x={x} y={y} id={id} base={base} />}
          {index !== undefined && (
            <rect
              x={x(index)}
              y={margin.top}
              width={Math.max(x.bandwidth(), 2)}
              height={base - margin.top}
              className={styles.cursor}
            />
          )}
        </svg>
      )}
    </div>
  )
}

/** One label in so many points is written. */
function everyOf(points: number, { width, zoom }: Size): number {
  const labels = Math.max(Math.floor((width - marginOf(zoom).left) / (LABEL_WIDTH * zoom)), 1)
  return Math.max(Math.ceil(points / labels), 1)
}
