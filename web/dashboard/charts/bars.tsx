import type { ScaleBand, ScaleLinear } from 'd3-scale'
import { stack } from 'd3-shape'
import type { ChartData, Point } from './chart-data.ts'
import styles from './chart.module.css'
import { PatternOf, patternId } from './pattern.tsx'

export interface MarksProps {
  data: ChartData
  x: ScaleBand<number>
  y: ScaleLinear<number, number>
  /** Begins the ids of patterns: the document may have several charts. */
  id: string
}

/** A bar for each point; the series stand one on the other. */
export function Bars({ data: { series, points }, x, y, id }: MarksProps) {
  const layers = stack<Point, number>()
    .keys(series.map((_, at) => at))
    .value(({ values }, at) => values[at] ?? 0)([...points])
  return layers.map((layer) => {
    const one = series[layer.key]
    return (
      one !== undefined && (
        <g key={one.id} className={styles[one.tone]} data-series={one.id}>
          <PatternOf series={one} id={id} />
          {layer.map(
            ([from, to], at) =>
              to > from && (
                <rect
                  key={points[at]?.id}
                  x={x(at)}
                  y={y(to)}
                  width={x.bandwidth()}
                  height={y(from) - y(to)}
                  fill={`url(#${patternId(id, one)})`}
                  className={styles.bar}
                />
              ),
          )}
        </g>
      )
    )
  })
}
