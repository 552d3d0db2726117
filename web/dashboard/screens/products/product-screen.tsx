import type { ProductWithStock } from '@fulfillment/sdk'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { formatNumber, formatPrice } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { StockOverTime } from '../../charts/stock-over-time.tsx'
import { useScope } from '../../data/session.tsx'
import { useRead } from '../../data/use-read.ts'
import { useWrite } from '../../data/use-write.ts'
import { Button } from '../../kit/button.tsx'
import { ErrorNote } from '../../kit/error-note.tsx'
import { MovementsOf } from '../../kit/movements-table.tsx'
import { Region } from '../../kit/region.tsx'
import { Facts, Screen, Section } from '../../kit/screen.tsx'
import { StockButtons } from '../../kit/stock-dialogs.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { None, Time, Value } from '../../kit/time.tsx'
import { EditProduct } from './edit-product.tsx'
import { ProductAvailability } from './product-availability.tsx'
import { ProductBarcodes } from './product-barcodes.tsx'
import { ProductPhoto } from './product-photo.tsx'
import { ActiveBadge } from './products-screen.tsx'

const LIMIT = 50

/** One product with its stock and movements. */
export function ProductScreen() {
  const { id } = useParams({ from: '/frame/products/$id' })
  const query = useRead(['product', id], (api, options) => api.products.get(Number(id), options), {
    isMain: true,
    keep: false,
    showsOrders: ({ availability }) => availability !== undefined,
  })
  const [isEditing, setEditing] = useState(false)
  const product = query.data
  return (
    <Screen
      title={product?.name ?? t.products.one(id)}
      mark={product && <ActiveBadge isActive={product.is_active} />}
      actions={product && <ProductActions product={product} onEdit={() => setEditing(true)} />}
    >
      <Region query={query} missing={t.products.missing(id)}>
        {(loaded) => (
          <>
            {isEditing ? <EditProduct product={loaded} onClose={() => setEditing(false)} /> : <Facts facts={factsOf(loaded)} />}
            <ProductBarcodes product={loaded} />
            <ProductAvailability product={loaded} />
            <StockSection product={loaded} />
            <StockOverTime product={loaded} />
            <Movements product={loaded} />
          </>
        )}
      </Region>
    </Screen>
  )
}

function ProductActions({ product: { id, name, is_active }, onEdit }: { product: ProductWithStock; onEdit: () => void }) {
  const write = useWrite({
    write: async (api, active: boolean, options) => {
      if (active) await api.products.update(id, { is_active: true }, options)
      else await api.products.delete(id, options)
    },
    done: (_, active) => (active ? t.products.activated(name) : t.products.deactivated(name)),
  })
  return (
    <>
      <Button scope="write:products" onPress={onEdit}>
        {t.orders.edit}
      </Button>
      <Button scope="write:products" isSaving={write.isSaving} onPress={() => void write.send(!is_active)}>
        {is_active ? t.products.deactivate : t.products.activate}
      </Button>
      <ErrorNote error={write.error} retryAt={write.retryAt} stop={write.stop} />
    </>
  )
}

function factsOf(product: ProductWithStock) {
  const { fields } = t.products
  const number = (value: number | null, unit?: string) => (value === null ? <None /> : withUnit(value, unit))
  return [
    { name: t.orders.id, value: product.id },
    { name: t.products.sku, value: <Value text={product.external_id} /> },
    { name: t.products.barcode, value: product.barcode },
    { name: t.products.category, value: <Value text={product.category} /> },
    { name: fields.price, value: product.price === null ? <None /> : formatPrice(product.price) },
    { name: fields.cost, value: product.cost === null ? <None /> : formatPrice(product.cost) },
    { name: fields.weight, value: number(product.weight, t.units.kg) },
    { name: t.products.size, value: <Value text={sizeOf(product)} /> },
    { name: fields.sales_unit, value: product.sales_unit === null ? <None /> : t.units.ofBase(product.sales_unit) },
    { name: t.products.weighable, value: product.weighable ? t.products.yes : t.products.no },
    ...(product.weighable
      ? [{ name: fields.pick_tolerance_percent, value: number(product.pick_tolerance_percent ?? 0, t.units.percent) }]
      : []),
    { name: fields.minimum_threshold, value: number(product.minimum_threshold) },
    { name: fields.reorder_quantity, value: number(product.reorder_quantity) },
    { name: t.products.photo, value: <ProductPhoto url={product.photo_url} /> },
    { name: t.products.description, value: <Value text={product.description} /> },
    { name: t.orders.created, value: <Time at={product.created_at} /> },
    { name: t.orders.updated, value: <Time at={product.updated_at} /> },
  ]
}

function sizeOf({ width, height, depth }: ProductWithStock): string | undefined {
  const sides = [width, height, depth]
  return sides.every((side) => side === null)
    ? undefined
    : `${sides.map((side) => (side === null ? '?' : formatNumber(side))).join(' × ')} ${t.units.cm}`
}

const withUnit = (value: number, unit: string | undefined): string =>
  unit === undefined ? formatNumber(value) : `${formatNumber(value)} ${unit}`

function StockSection({ product }: { product: ProductWithStock }) {
  const total = product.stock.reduce((sum, { quantity }) => sum + quantity * 1_000, 0) / 1_000
  return (
    <Section title={t.stock.byLocation} actions={<StockButtons product={product} />}>
      {product.stock.length === 0 ? (
        <p>{t.stock.noneOfProduct}</p>
      ) : (
        <>
          <Table
            caption={t.stock.byLocation}
            columns={STOCK_COLUMNS}
            rows={product.stock}
            rowKey={({ location_id }) => location_id}
          />
          <p>{t.stock.totalOf(formatNumber(total), product.stock.length)}</p>
        </>
      )}
    </Section>
  )
}

const STOCK_COLUMNS: Column<ProductWithStock['stock'][number]>[] = [
  { id: 'code', header: t.stock.location, cell: ({ location_code }) => location_code },
  { id: 'id', header: t.locations.id, cell: ({ location_id }) => location_id },
  { id: 'quantity', header: t.stock.quantity, isNumber: true, cell: ({ quantity }) => formatNumber(quantity) },
]

function Movements({ product: { id } }: { product: ProductWithStock }) {
  const canRead = useScope('read:stock')
  const query = useRead(
    ['movements', 'product', id],
    (api, options) => api.stock.movements({ product_id: id, limit: LIMIT }, options),
    { enabled: canRead },
  )
  if (!canRead) return null
  return (
    <Section title={t.nav.movements}>
      <Region query={query} rows={3}>
        {(found) =>
          found.pagination.total === 0 ? <p>{t.movements.noneOfProduct}</p> : <MovementsOf {...found} of={{ product_id: id }} />
        }
      </Region>
    </Section>
  )
}
