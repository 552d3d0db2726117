import type { Product } from '@fulfillment/sdk'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { formatPrice } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Badge } from '../../kit/badge.tsx'
import { Combo } from '../../kit/combo.tsx'
import { ExportButton } from '../../kit/export-button.tsx'
import { FilterField } from '../../kit/filter-field.tsx'
import { ButtonLink } from '../../kit/link.tsx'
import { ListScreen } from '../../kit/list-screen.tsx'
import { Select } from '../../kit/select.tsx'
import type { Column } from '../../kit/table.tsx'
import { None, Value } from '../../kit/time.tsx'
import { filterBy } from '../../search-parameters.ts'
import { ProductPhoto } from './product-photo.tsx'

const LIMIT = 50

/** The catalog, newest first. */
export function ProductsScreen() {
  const search = useSearch({ from: '/frame/products' })
  const navigate = useNavigate({ from: '/products' })
  const { category, active, page = 1 } = search
  const filter = filterBy(navigate)
  const filters = { search: search.search, category, is_active: active === undefined }
  const query = useRead(['products', search], (api, options) => api.products.list({ ...filters, page, limit: LIMIT }, options), {
    isMain: true,
  })
  return (
    <ListScreen
      title={t.nav.products}
      texts={t.products}
      search={search}
      onClear={() => void navigate({ search: {} })}
      onPage={(next) => filter({ page: next })}
      query={query}
      rowsOf={({ products }) => products}
      columns={COLUMNS}
      actions={
        <ButtonLink to="/products/import" scope="write:products">
          {t.import.link}
        </ButtonLink>
      }
      exportButton={<ExportButton resource="products" query={filters} scope="read:products" />}
      newButton={<NewProduct />}
    >
      <FilterField
        label={t.products.search}
        type="search"
        value={search.search}
        onFilter={(text, isMore) => filter({ search: text }, isMore)}
      />
      <CategoryFilter products={query.data?.products ?? []} value={category} onFilter={(text) => filter({ category: text })} />
      <Select
        label={t.products.active}
        options={ACTIVE}
        value={active ?? 'true'}
        onChange={(value) => filter({ active: value === 'false' ? 'false' : undefined })}
      />
    </ListScreen>
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
