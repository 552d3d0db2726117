import type { PointerEvent } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { marginOf, type Point } from './chart-data.ts'
import { textZoom } from './use-size.ts'
import styles from './chart.module.css'

export interface ReaderProps {
  title: string
  points: readonly Point[]
  /** The point that is read; undefined when none is. */
  index: number | undefined
  readingOf: (point: Point) => string
  onIndex: (index: number | undefined) => void
  onOpen: ((point: Point) => void) | undefined
}

/**
 * Reads the points of the chart that it lies over: a slider that cannot be seen, so that the keys and what is announced are the browser's
 * own. Enter or a press opens what the point is about.
 */
export function Reader({ title, points, index, readingOf, onIndex, onOpen }: ReaderProps) {
  const last = points.length - 1
  const value = index ?? last
  const point = points[value]
  const open = (): void => {
    if (point !== undefined) onOpen?.(point)
  }
  return (
    <input
      type="range"
      aria-label={t.charts.readerOf(title)}
      aria-valuetext={point === undefined ? '' : readingOf(point)}
      min={0}
      max={last}
      step={1}
      value={value}
      className={styles.reader}
      data-open={onOpen !== undefined}
      onChange={({ target }) => onIndex(Number(target.value))}
      onFocus={() => onIndex(value)}
      onBlur={() => onIndex(undefined)}
      onPointerMove={(event) => onIndex(pointUnder(event, points.length))}
      onPointerLeave={({ currentTarget }) => {
        if (document.activeElement !== currentTarget) onIndex(undefined)
      }}
      onClick={open}
      onKeyDown={({ key }) => {
        if (key === 'Enter') open()
      }}
    />
  )
}

function pointUnder({ clientX, currentTarget }: PointerEvent, count: number): number {
  const { left, width } = currentTarget.getBoundingClientRect()
  const margin = marginOf(textZoom())
  const share = (clientX - left - margin.left) / Math.max(width - margin.left - margin.right, 1)
  return Math.min(Math.max(Math.floor(share * count), 0), count - 1)
}
