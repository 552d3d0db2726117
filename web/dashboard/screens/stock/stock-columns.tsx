import type { Availability, StockOverviewResult } from '@fulfillment/sdk'
import type { ReactNode } from 'react'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { Button } from '../../kit/button.tsx'
import { ProductLink, ReservationsLink } from '../../kit/record-link.tsx'
import { None, Value } from '../../kit/time.tsx'
import styles from './stock.module.css'

export type StockedProduct = StockOverviewResult['products'][number]

/** A product at one of its locations. What is of the product alone stands in the first of its rows. */
export interface StockRow {
  product: StockedProduct
  level: StockedProduct['levels'][number] | undefined
  isFirst: boolean
}

/** What can be done with a product besides setting a level. */
export type StockChange = 'adjust' | 'transfer'

export interface StockColumn {
  id: string
  header: string
  isNumber?: boolean
  isWide?: boolean
  cell: (row: StockRow) => ReactNode
}

/** The column that can be edited. */
export const LEVEL = 'level'

/** The columns of the grid. What can be promised is among them while the tenant reserves. */
export function stockColumns(
  isReserving: boolean,
  onAdd: (product: StockedProduct, kind: StockChange) => void,
): readonly StockColumn[] {
  return [
    { id: 'product', header: t.orders.product, isWide: true, cell: productCell },
    { id: 'sku', header: t.products.sku, isWide: true, cell: once(({ external_id }) => <Value text={external_id} />) },
    { id: 'total', header: t.stock.total, isNumber: true, cell: once((product) => <Total product={product} />) },
    ...(isReserving ? AVAILABILITY : []),
    { id: 'threshold', header: t.stock.threshold, isNumber: true, cell: once(({ minimum_threshold: number }) => shown(number)) },
    { id: 'location', header: t.stock.location, cell: ({ level }) => <Value text={level?.location_code} /> },
    { id: LEVEL, header: t.stock.quantity, isNumber: true, cell: () => <None /> },
    { id: 'actions', header: t.keys.actions, cell: once((product) => <StockActions product={product} onAdd={onAdd} />) },
  ]
}

const once =
  (cell: (product: StockedProduct) => ReactNode) =>
  ({ product, isFirst }: StockRow): ReactNode =>
    isFirst && cell(product)

const shown = (number: number | null | undefined): ReactNode =>
  number === null || number === undefined ? <None /> : formatNumber(number)

const availabilityColumn = (id: keyof Availability, header: string): StockColumn => ({
  id,
  header,
  isNumber: true,
  cell: once(({ availability }) => shown(availability?.[id])),
})

const AVAILABILITY: readonly StockColumn[] = [
  availabilityColumn('available', t.availability.available),
  { id: 'reserved', header: t.availability.reserved, isNumber: true, cell: once((product) => <Reserved product={product} />) },
  availabilityColumn('incoming', t.availability.incoming),
]

const productCell = ({ product: { product_id, name }, isFirst }: StockRow): ReactNode =>
  isFirst ? (
    <ProductLink id={product_id} tabIndex={-1}>
      {name}
    </ProductLink>
  ) : (
    <span className="visually-hidden">{name}</span>
  )

/** Leads to who has reserved it. */
function Reserved({ product: { product_id, name, availability } }: { product: StockedProduct }) {
  if (availability === undefined) return <None />
  const { reserved } = availability
  return (
    <ReservationsLink of={{ product_id }} label={t.availability.reservedOf(reserved, name)} tabIndex={-1}>
      {formatNumber(reserved)}
    </ReservationsLink>
  )
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

interface ActionsProps {
  product: StockedProduct
  onAdd: (product: StockedProduct, kind: StockChange) => void
}

function StockActions({ product, onAdd }: ActionsProps) {
  return (
    <span className={styles.actions}>
      {(['adjust', 'transfer'] as const).map((kind) => (
        <Button
          key={kind}
          kind="quiet"
          scope="write:stock"
          aria-label={t.stock.dialogs[kind].of(product.name)}
          onPress={() => onAdd(product, kind)}
        >
          {t.stock.dialogs[kind].act}
        </Button>
      ))}
    </span>
  )
}
