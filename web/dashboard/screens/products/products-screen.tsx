import type { Product } from '@fulfillment/sdk'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { formatPrice } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Badge } from '../../kit/badge.tsx'
import { Combo } from '../../kit/combo.tsx'
import { ExportButton } from '../../kit/export-button.tsx'
import { FilterField } from '../../kit/filter-field.tsx'
import { Filters } from '../../kit/filters.tsx'
import { ButtonLink } from '../../kit/link.tsx'
import { PagedTable } from '../../kit/paged-table.tsx'
import { Empty } from '../../kit/region.tsx'
import { Screen } from '../../kit/screen.tsx'
import { Select } from '../../kit/select.tsx'
import type { Column } from '../../kit/table.tsx'
import { None, Value } from '../../kit/time.tsx'
import { filterBy, isFiltered } from '../../search-parameters.ts'
import { ProductPhoto } from './product-photo.tsx'

const LIMIT = 50

/** The catalog, newest first. */
export function ProductsScreen() {
  const filters = useSearch({ from: '/frame/products' })
  const navigate = useNavigate({ from: '/products' })
  const { search, category, active, page = 1 } = filters
  const filter = filterBy(navigate)
  const listed = { search, category, is_active: active === undefined }
  const query = useRead(['products', filters], (api, options) => api.products.list({ ...listed, page, limit: LIMIT }, options), {
    isMain: true,
  })
  const isEmpty = query.data?.pagination.total === 0 && !isFiltered(filters)
  return (
    <Screen
      title={t.nav.products}
      actions={
        <>
          <ButtonLink to="/products/import" scope="write:products">
            {t.import.link}
          </ButtonLink>
          {!isEmpty && (
            <>
              <ExportButton resource="products" query={listed} scope="read:products" />
              <NewProduct />
            </>
          )}
        </>
      }
    >
      <Filters isSet={isFiltered(filters)} onClear={() => void navigate({ search: {} })}>
        <FilterField
          label={t.products.search}
          type="search"
          value={search}
          onFilter={(text, isMore) => filter({ search: text }, isMore)}
        />
        <CategoryFilter products={query.data?.products ?? []} value={category} onFilter={(text) => filter({ category: text })} />
        <Select
          label={t.products.active}
          options={ACTIVE}
          value={active ?? 'true'}
          onChange={(value) => filter({ active: value === 'false' ? 'false' : undefined })}
        />
      </Filters>
      <PagedTable
        query={query}
        caption={t.nav.products}
        columns={COLUMNS}
        rowsOf={({ products }) => products}
        rowKey={({ id }) => id}
        news={{ list: JSON.stringify(filters), text: t.products.more }}
        total={t.products.total}
        empty={
          isEmpty ? (
            <Empty text={t.products.none}>
              <NewProduct />
            </Empty>
          ) : (
            <Empty text={t.products.noMatch} />
          )
        }
        page={page}
        onPage={(next) => filter({ page: next })}
      />
    </Screen>
  )
}

const ACTIVE = [
  { value: 'true', label: t.products.isActive },
  { value: 'false', label: t.products.isInactive },
]

function NewProduct() {
  return (
    <ButtonLink to="/products/new" kind="primary" scope="write:products">
      {t.products.new}
    </ButtonLink>
  )
}

// The categories of the page are offered; any other can be typed.
function CategoryFilter(props: {
  products: readonly Product[]
  value: string | undefined
  onFilter: (text: string | undefined) => void
}) {
  const { products, value, onFilter } = props
  const categories = [...new Set(products.map(({ category }) => category).filter((category) => category !== null))]
  return (
    <Combo
      label={t.products.category}
      size="narrow"
      value={value ?? ''}
      options={categories.map((category) => ({ id: category, label: category }))}
      onChoose={({ label }) => onFilter(label)}
      onText={(text) => onFilter(text === '' ? undefined : text)}
    />
  )
}

const COLUMNS: Column<Product>[] = [
  { id: 'photo', header: t.products.photo, cell: ({ photo_url }) => <ProductPhoto url={photo_url} /> },
  {
    id: 'name',
    header: t.products.name,
    isWide: true,
    cell: ({ id, name }) => (
      <Link to="/products/$id" params={{ id: String(id) }}>
        {name}
      </Link>
    ),
  },
  { id: 'sku', header: t.products.sku, isWide: true, cell: ({ external_id }) => <Value text={external_id} /> },
  { id: 'barcode', header: t.products.barcode, cell: ({ barcode }) => barcode },
  { id: 'category', header: t.products.category, cell: ({ category }) => <Value text={category} /> },
  {
    id: 'price',
    header: t.products.price,
    isNumber: true,
    cell: ({ price }) => (price === null ? <None /> : formatPrice(price)),
  },
  { id: 'active', header: t.products.active, cell: ({ is_active }) => <ActiveBadge isActive={is_active} /> },
]

export function ActiveBadge({ isActive }: { isActive: boolean }) {
  return <Badge kind={isActive ? 'ok' : 'muted'}>{isActive ? t.products.isActive : t.products.isInactive}</Badge>
}
