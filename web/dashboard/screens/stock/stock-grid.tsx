import { type FocusEvent, type HTMLAttributes, type KeyboardEvent, useRef, useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useScope } from '../../data/session.tsx'
import table from '../../kit/table.module.css'
import { LevelCell } from './level-cell.tsx'
import { LEVEL, type StockChange, type StockColumn, stockColumns, type StockedProduct, type StockRow } from './stock-columns.tsx'
import styles from './stock.module.css'
import type { OnEdit } from './use-edited-products.ts'

interface Props {
  products: readonly StockedProduct[]
  onAdd: (product: StockedProduct, kind: StockChange) => void
  onEdit: OnEdit
}

/**
 * A grid: arrows move between cells, Enter edits a level and saves it, Esc undoes. One cell is in the order of Tab. A product has a row
 * for each of its locations.
 */
export function StockGrid({ products, onAdd, onEdit }: Props) {
  const grid = useRef<HTMLTableElement>(null)
  // A column by its name: others come and go with the policy of the tenant.
  const [at, setAt] = useState({ row: 0, column: LEVEL })
  const canWrite = useScope('write:stock')
  const isReserving = products.some(({ availability }) => availability !== undefined)
  const columns = stockColumns(isReserving, onAdd)
  const rows = products.flatMap(rowsOf)
  const column = Math.max(
    columns.findIndex(({ id }) => id === at.column),
    0,
  )
  const current = { row: Math.min(at.row, rows.length - 1), column }
  const size = { rows: rows.length, columns: columns.length }
  const cellAt = (row: number, position: number) => ({
    role: 'gridcell',
    'data-row': row,
    'data-column': position,
    tabIndex: current.row === row && current.column === position ? 0 : -1,
  })
  return (
    <div className={`${table.scroll} ${styles.scroll}`} role="region" aria-label={t.stock.levels} tabIndex={-1}>
      <table
        ref={grid}
        role="grid"
        aria-label={t.stock.levels}
        aria-readonly={!canWrite}
        className={table.table}
        onKeyDown={(event) => moveBy(event, current, size, grid.current)}
        onFocus={(event) => setAt((before) => positionOf(event, columns) ?? before)}
      >
        <GridHead columns={columns} />
        <tbody role="rowgroup">
          {rows.map((each, row) => (
            <tr
              key={`${each.product.product_id} ${each.level?.location_id ?? ''}`}
              role="row"
              data-first={each.isFirst}
              className={styles.row}
            >
              {columns.map((one, position) => (
                <GridCell
                  key={one.id}
                  column={one}
                  row={each}
                  cell={cellAt(row, position)}
                  isEditable={canWrite}
                  onEdit={onEdit}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function GridHead({ columns }: { columns: readonly StockColumn[] }) {
  return (
    <thead role="rowgroup">
      <tr role="row">
        {columns.map(({ id, header, isNumber }) => (
          <th key={id} role="columnheader" scope="col" className={isNumber === true ? table.number : ''}>
            {header}
          </th>
        ))}
      </tr>
    </thead>
  )
}

interface CellProps {
  column: StockColumn
  row: StockRow
  cell: HTMLAttributes<HTMLTableCellElement>
  isEditable: boolean
  onEdit: OnEdit
}

function GridCell({ column, row, cell, isEditable, onEdit }: CellProps) {
  const { id, header, isNumber = false, isWide = false, cell: content } = column
  const { product, level } = row
  if (id === LEVEL && level !== undefined)
    return <LevelCell cell={cell} product={product} level={level} isEditable={isEditable} onEdit={onEdit} />
  return (
    <td
      {...cell}
      data-label={header}
      className={`${isWide ? table.wide : ''} ${isNumber ? table.number : ''}`}
      {...(id === 'product' ? { 'aria-label': product.name } : {})}
    >
      {content(row)}
    </td>
  )
}

function rowsOf(product: StockedProduct): StockRow[] {
  if (product.levels.length === 0) return [{ product, level: undefined, isFirst: true }]
  return product.levels.map((level, index) => ({ product, level, isFirst: index === 0 }))
}

const STEPS: Record<string, [rows: number, columns: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

function moveBy(
  event: KeyboardEvent,
  at: { row: number; column: number },
  size: { rows: number; columns: number },
  grid: HTMLElement | null,
): void {
  const step = STEPS[event.key]
  if (step === undefined || event.target instanceof HTMLInputElement) return
  event.preventDefault()
  const row = clamp(at.row + step[0], size.rows - 1)
  const column = clamp(at.column + step[1], size.columns - 1)
  grid?.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`)?.focus()
}

const clamp = (value: number, max: number): number => Math.max(0, Math.min(value, max))

function positionOf({ target }: FocusEvent, columns: readonly StockColumn[]): { row: number; column: string } | undefined {
  const cell = target instanceof HTMLElement ? target.closest<HTMLElement>('[data-row]') : null
  const column = columns[Number(cell?.dataset.column)]
  return cell === null || column === undefined ? undefined : { row: Number(cell.dataset.row), column: column.id }
}
