import { type FocusEvent, type KeyboardEvent, useRef, useState } from 'react'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useScope } from '../../data/session.tsx'
import { Value } from '../../kit/time.tsx'
import table from '../../kit/table.module.css'
import { LevelCell } from './level-cell.tsx'
import { ProductCell, StockActions, type StockedProduct, thresholdOf } from './stock-cells.tsx'
import styles from './stock.module.css'

interface Props {
  products: readonly StockedProduct[]
  onAdd: (product: StockedProduct, kind: 'adjust' | 'transfer') => void
}

interface Row {
  product: StockedProduct
  level: StockedProduct['levels'][number] | undefined
  isFirst: boolean
}

/**
 * A grid: arrows move between cells, Enter edits a level and saves it, Esc undoes. One cell is in the order of Tab. A product has a row
 * for each of its locations.
 */
export function StockGrid({ products, onAdd }: Props) {
  const grid = useRef<HTMLTableElement>(null)
  const [at, setAt] = useState({ row: 0, column: LEVEL_COLUMN })
  const canWrite = useScope('write:stock')
  const rows = products.flatMap(rowsOf)
  const current = { row: Math.min(at.row, rows.length - 1), column: at.column }
  const cell = (row: number, column: number) => ({
    role: 'gridcell',
    'data-row': row,
    'data-column': column,
    tabIndex: current.row === row && current.column === column ? 0 : -1,
  })
  return (
    <div className={`${table.scroll} ${styles.scroll}`} role="region" aria-label={t.stock.levels} tabIndex={-1}>
      <table
        ref={grid}
        role="grid"
        aria-label={t.stock.levels}
        aria-readonly={!canWrite}
        className={table.table}
        onKeyDown={(event) => moveBy(event, current, rows.length, grid.current)}
        onFocus={(event) => setAt((before) => positionOf(event) ?? before)}
      >
        <thead role="rowgroup">
          <tr role="row">
            {HEADERS.map(({ id, header, isNumber }) => (
              <th key={id} role="columnheader" scope="col" className={isNumber === true ? table.number : ''}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map(({ product, level, isFirst }, row) => (
            <tr key={`${product.product_id} ${level?.location_id ?? ''}`} role="row" data-first={isFirst} className={styles.row}>
              <td {...cell(row, 0)} data-label={HEADERS[0]?.header} className={table.wide} aria-label={product.name}>
                {isFirst ? <ProductCell product={product} /> : <span className="visually-hidden">{product.name}</span>}
              </td>
              <td {...cell(row, 1)} data-label={HEADERS[1]?.header} className={table.wide}>
                {isFirst && <Value text={product.external_id} />}
              </td>
              <td {...cell(row, 2)} data-label={HEADERS[2]?.header} className={table.number}>
                {isFirst && <Total product={product} />}
              </td>
              <td {...cell(row, 3)} data-label={HEADERS[3]?.header} className={table.number}>
                {isFirst && <Value text={thresholdOf(product)} />}
              </td>
              <td {...cell(row, 4)} data-label={HEADERS[4]?.header}>
                <Value text={level?.location_code} />
              </td>
              {level === undefined ? (
                <td {...cell(row, LEVEL_COLUMN)} data-label={HEADERS[5]?.header} className={table.number}>
                  <Value text={undefined} />
                </td>
              ) : (
                <LevelCell cell={cell(row, LEVEL_COLUMN)} product={product} level={level} isEditable={canWrite} />
              )}
              <td {...cell(row, 6)} data-label={HEADERS[6]?.header}>
                {isFirst && <StockActions product={product} onAdd={onAdd} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const LEVEL_COLUMN = 5

const HEADERS: readonly { id: string; header: string; isNumber?: boolean }[] = [
  { id: 'product', header: t.orders.product },
  { id: 'sku', header: t.products.sku },
  { id: 'total', header: t.stock.total, isNumber: true },
  { id: 'threshold', header: t.stock.threshold, isNumber: true },
  { id: 'location', header: t.stock.location },
  { id: 'level', header: t.stock.quantity, isNumber: true },
  { id: 'actions', header: t.keys.actions },
]

function rowsOf(product: StockedProduct): Row[] {
  if (product.levels.length === 0) return [{ product, level: undefined, isFirst: true }]
  return product.levels.map((level, index) => ({ product, level, isFirst: index === 0 }))
}

function Total({ product: { quantity, minimum_threshold } }: { product: StockedProduct }) {
  const isLow = minimum_threshold !== null && quantity < minimum_threshold
  return isLow ? (
    <strong className={styles.low} title={t.stock.low}>
      {formatNumber(quantity)}
      <span className="visually-hidden">{t.stock.isLow}</span>
    </strong>
  ) : (
    <>{formatNumber(quantity)}</>
  )
}

const STEPS: Record<string, [rows: number, columns: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

function moveBy(event: KeyboardEvent, at: { row: number; column: number }, rows: number, grid: HTMLElement | null): void {
  const step = STEPS[event.key]
  if (step === undefined || event.target instanceof HTMLInputElement) return
  event.preventDefault()
  const row = clamp(at.row + step[0], rows - 1)
  const column = clamp(at.column + step[1], HEADERS.length - 1)
  grid?.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`)?.focus()
}

const clamp = (value: number, max: number): number => Math.max(0, Math.min(value, max))

function positionOf({ target }: FocusEvent): { row: number; column: number } | undefined {
  const cell = target instanceof HTMLElement ? target.closest<HTMLElement>('[data-row]') : null
  return cell === null ? undefined : { row: Number(cell.dataset.row), column: Number(cell.dataset.column) }
}
