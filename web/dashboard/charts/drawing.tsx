import { scaleBand, scaleLinear } from 'd3-scale'
import { useId } from 'react'
import { Bars } from './bars.tsx'
import { type ChartData, highestOf, MARGIN } from './chart-data.ts'
import styles from './chart.module.css'
import { Lines } from './lines.tsx'
import { useWidth } from './use-width.ts'

export interface DrawingProps {
  data: ChartData
  /** The point that is read. */
  index: number | undefined
  format: (value: number) => string
}

const HEIGHT = 200
const BASE = HEIGHT - MARGIN.bottom
/** Room for a label of the horizontal axis. */
const LABEL_WIDTH = 72
/** From so many bars on, there is no room between them. */
const MANY_BARS = 60

/** The marks of a picture, as wide as there is room. */
export function Drawing({ data, index, format }: DrawingProps) {
  const [ref, width] = useWidth()
  const id = useId()
  const { points, kind } = data
  const x = scaleBand<number>(
    points.map((_, at) => at),
    [MARGIN.left, Math.max(width - MARGIN.right, MARGIN.left + 1)],
  )
  if (kind === 'bars' && points.length <= MANY_BARS) x.paddingInner(0.2)
  const y = scaleLinear([0, highestOf(data)], [BASE, MARGIN.top]).nice(4)
  const every = everyOf(points.length, width)
  return (
    <div ref={ref}>
      {width > 0 && points.length > 0 && (
        <svg width={width} height={HEIGHT} aria-hidden>
          {y.ticks(4).map((tick) => (
            <g key={tick}>
              <line x1={MARGIN.left} x2={width - MARGIN.right} y1={y(tick)} y2={y(tick)} className={styles.grid} />
              <text x={MARGIN.left - 6} y={y(tick)} dy="0.35em" className={styles.tickY}>
                {format(tick)}
              </text>
            </g>
          ))}
          {points.map(
            ({ id: key, short }, at) =>
              at % every === 0 && (
                <text key={key} x={(x(at) ?? 0) + x.bandwidth() / 2} y={HEIGHT - 6} className={styles.tickX}>
                  {short}
                </text>
              ),
          )}
          {kind === 'bars' ? <Bars data={data} x={x} y={y} id={id} /> : <Lines data={data} x={x} y={y} id={id} base={BASE} />}
          {index !== undefined && (
            <rect
              x={x(index)}
              y={MARGIN.top}
              width={Math.max(x.bandwidth(), 2)}
              height={BASE - MARGIN.top}
              className={styles.cursor}
            />
          )}
        </svg>
      )}
    </div>
  )
}

/** One label in so many points is written. */
function everyOf(points: number, width: number): number {
  const labels = Math.max(Math.floor((width - MARGIN.left) / LABEL_WIDTH), 1)
  return Math.max(Math.ceil(points / labels), 1)
}
