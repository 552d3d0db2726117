import { type MouseEvent, useRef } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { type ChartData, extentOf, type Point } from './chart-data.ts'
import { textZoom } from './use-size.ts'
import styles from './chart.module.css'

export interface ReaderProps {
  title: string
  data: ChartData
  /** The point that is read; undefined when none is. */
  index: number | undefined
  readingOf: (point: Point) => string
  onIndex: (index: number | undefined) => void
  onOpen: ((point: Point) => void) | undefined
}

/**
 * Reads the points of the chart that it lies over: a slider that cannot be seen, so that the keys and what is announced are the browser's
 * own. Enter or a press opens what the point is about. The browser would set the slider by a press over its full width, which is not that of the
 * points: the pointer reads what is under it instead.
 */
export function Reader({ title, data, index, readingOf, onIndex, onOpen }: ReaderProps) {
  const { points } = data
  const isPressed = useRef(false)
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
      onChange={({ target }) => {
        // A touch sets the slider too, and that cannot be prevented without preventing that the screen is scrolled.
        if (!isPressed.current) onIndex(Number(target.value))
      }}
      onFocus={() => onIndex(value)}
      onBlur={() => onIndex(undefined)}
      onPointerDown={(event) => {
        isPressed.current = true
        onIndex(pointUnder(event, data))
      }}
      onPointerUp={() => (isPressed.current = false)}
      onPointerCancel={() => (isPressed.current = false)}
      onMouseDown={(event) => {
        event.preventDefault()
        event.currentTarget.focus()
        // Where a browser makes one of a touch, that has left the slider by now.
        onIndex(pointUnder(event, data))
      }}
      onPointerMove={(event) => onIndex(pointUnder(event, data))}
      onPointerLeave={({ currentTarget }) => {
        isPressed.current = false
        if (document.activeElement !== currentTarget) onIndex(undefined)
      }}
      onClick={open}
      onKeyDown={({ key }) => {
        if (key === 'Enter') open()
      }}
    />
  )
}

function pointUnder({ clientX, currentTarget }: MouseEvent, { kind, points }: ChartData): number {
  const { left, width } = currentTarget.getBoundingClientRect()
  const [from, to] = extentOf(kind, points.length, width, textZoom())
  const share = (clientX - left - from) / (to - from)
  return Math.min(Math.max(Math.floor(share * points.length), 0), points.length - 1)
}
