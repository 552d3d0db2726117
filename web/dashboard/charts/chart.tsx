import { type ReactNode, Suspense, useState } from 'react'
import { formatNumber } from '../../shared/format.ts'
import { t } from '../../shared/texts/texts.ts'
import { Button } from '../kit/button.tsx'
import { type Column, Table } from '../kit/table.tsx'
import { Value } from '../kit/time.tsx'
import type { ChartData, Point } from './chart-data.ts'
import styles from './chart.module.css'
import { Drawing } from './drawing-on-demand.ts'
import { Legend } from './legend.tsx'
import { Reader } from './reader.tsx'

export interface ChartProps {
  /** A sentence that says what there is to see. */
  name: string
  /** The title of the table, such as "Stock over time". */
  title: string
  /** Shows the title also over the chart, where nothing else says what it is of. */
  isTitled?: boolean | undefined
  /** What the points are: "Day". */
  pointHeader: string
  data: ChartData
  /** Adds a unit to a number. */
  withUnit?: ((number: string) => string) | undefined
  /** Opens what a point is about. */
  onOpen?: ((point: Point) => void) | undefined
  /** The point in the table, such as a link to what it is about. */
  renderPoint?: ((point: Point) => ReactNode) | undefined
}

/** A chart of numbers over time: with a sentence as its name, a reading by keyboard and pointer, and the same numbers as a table. */
export function Chart({
  name,
  title,
  isTitled = false,
  pointHeader,
  data,
  withUnit = unchanged,
  onOpen,
  renderPoint,
}: ChartProps) {
  const [isTable, setTable] = useState(false)
  const [chosen, setChosen] = useState<number>()
  const { points, series } = data
  // Newer data may have fewer points.
  const index = chosen === undefined || points.length === 0 ? undefined : Math.min(chosen, points.length - 1)
  const format = (value: number): string => withUnit(formatNumber(value))
  const readingOf = (point: Point): string => t.charts.reading(point.label, numbersOf(point, data, format))
  const point = index === undefined ? undefined : points[index]
  return (
    <figure className={styles.figure}>
      <div className={styles.head}>
        {isTitled && <p className={styles.title}>{title}</p>}
        <Legend data={data} />
        <Button kind="quiet" aria-expanded={isTable} onPress={() => setTable(!isTable)}>
          {t.charts.asTable}
        </Button>
      </div>
      <div className={styles.plot}>
        <div role="img" aria-label={name} className={styles.drawing}>
          <Suspense fallback={null}>
            <Drawing data={data} index={index} withUnit={withUnit} />
          </Suspense>
        </div>
        {points.length > 0 && (
          <Reader title={title} data={data} index={index} readingOf={readingOf} onIndex={setChosen} onOpen={onOpen} />
        )}
      </div>
      {/* The reader has it as its value, which is announced. */}
      <p aria-hidden className={styles.reading}>
        {point === undefined ? t.charts.hint(onOpen !== undefined) : readingOf(point)}
      </p>
      {isTable && (
        <Table
          caption={title}
          columns={columnsOf(pointHeader, series, format, renderPoint)}
          rows={points}
          rowKey={({ id }) => id}
        />
      )}
    </figure>
  )
}

const unchanged = (number: string): string => number

/** "Pending 4", "Released 2"; of one series the number alone. */
function numbersOf({ values }: Point, { series }: ChartData, format: (value: number) => string): string[] {
  const text = (value: number | null): string => textOf(value, format) ?? t.charts.notMeasured
  return values.map((value, at) => (series.length === 1 ? text(value) : `${series[at]?.label} ${text(value)}`))
}

function columnsOf(
  pointHeader: string,
  series: ChartData['series'],
  format: (value: number) => string,
  renderPoint: ChartProps['renderPoint'],
): Column<Point>[] {
  return [
    { id: 'point', header: pointHeader, cell: (point) => renderPoint?.(point) ?? point.label },
    ...series.map(({ id, label }, at): Column<Point> => ({
      id,
      header: label,
      isNumber: true,
      cell: ({ values }) => <Value text={textOf(values[at] ?? null, format)} />,
    })),
  ]
}

const textOf = (value: number | null, format: (value: number) => string): string | null => (value === null ? null : format(value))
