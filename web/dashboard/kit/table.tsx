import type { ReactNode } from 'react'
import styles from './table.module.css'

export interface Column<Row> {
  id: string
  header: string
  cell: (row: Row) => ReactNode
  /** Numbers are at the right, digit below digit. */
  isNumber?: boolean
  /** Text that may be long and wraps. */
  isWide?: boolean
  /** Text that wraps between its words where the table has many columns. */
  isTight?: boolean
}

export interface TableProps<Row> {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string | number
  isCaptionShown?: boolean
  isStale?: boolean
  /** The row that needs attention. */
  isMarked?: (row: Row) => boolean
}

/**
 * A table. It scrolls in a region of its own; on a narrow screen its rows become cards by CSS, which would take the roles from the
 * elements, so they are written out.
 */
export function Table<Row>({
  caption,
  columns,
  rows,
  rowKey,
  isCaptionShown = false,
  isStale = false,
  isMarked,
}: TableProps<Row>) {
  return (
    <div className={styles.scroll} role="region" aria-label={caption} tabIndex={0} data-stale={isStale}>
      <table className={styles.table} role="table">
        <caption className={isCaptionShown ? styles.caption : 'visually-hidden'}>{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column.id} role="columnheader" scope="col" className={cellClass(column)}>
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={rowKey(row)} role="row" data-marked={isMarked?.(row) ?? false}>
              {columns.map((column) => (
                <td key={column.id} role="cell" data-label={column.header} className={cellClass(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

type Shape = Pick<Column<unknown>, 'isNumber' | 'isWide' | 'isTight'>

function cellClass({ isNumber = false, isWide = false, isTight = false }: Shape): string {
  return `${isNumber ? styles.number : ''} ${isWide ? styles.wide : ''} ${isTight ? styles.tight : ''}`
}

/** What can be done with the row. */
export function RowActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>
}

/** Two texts of one cell, the second below the first. */
export function Stacked({ children, below }: { children: ReactNode; below: ReactNode }) {
  return (
    <div>
      {children}
      <span className={styles.second}>{below}</span>
    </div>
  )
}
