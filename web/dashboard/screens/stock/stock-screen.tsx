import type { StockOverviewResult } from '@fulfillment/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Checkbox } from '../../kit/choices.tsx'
import { ExportButton } from '../../kit/export-button.tsx'
import { DayFilter, FilterField } from '../../kit/filter-field.tsx'
import { Filters } from '../../kit/filters.tsx'
import { ButtonLink } from '../../kit/link.tsx'
import { LocationCombo } from '../../kit/location-combo.tsx'
import { PagedList } from '../../kit/paged-list.tsx'
import { Empty, Region } from '../../kit/region.tsx'
import { Screen } from '../../kit/screen.tsx'
import { StockDialog } from '../../kit/stock-dialogs.tsx'
import { filterBy, isFiltered } from '../../search-parameters.ts'
import type { StockChange, StockedProduct } from './stock-columns.tsx'
import { StockAsOf } from './stock-as-of.tsx'
import { StockGrid } from './stock-grid.tsx'
import { useEditedProducts } from './use-edited-products.ts'

const LIMIT = 50

/** Products with their stock by location; levels are edited in place. */
export function StockScreen() {
  const search = useSearch({ from: '/frame/stock' })
  const navigate = useNavigate({ from: '/stock' })
  const { location, low, as_of, page = 1 } = search
  const filter = filterBy(navigate)
  const filters = { search: search.search, location_id: location, low: low === 'true' }
  const query = useRead(
    ['stock', search.search, location, low, page],
    (api, options) => api.stock.overview({ ...filters, page, limit: LIMIT }, options),
    { isMain: true, showsOrders: ({ products }) => products.some(({ availability }) => availability !== undefined) },
  )
  const [changed, setChanged] = useState<{ kind: StockChange; product: StockedProduct }>()
  return (
    <Screen
      title={t.nav.stock}
      actions={
        <>
          {/* The stock of a past day is that of one product, and is on screen. */}
          {as_of === undefined && <ExportButton resource="levels" query={filters} scope="read:stock" />}
          <ButtonLink to="/stock/import" scope="write:stock">
            {t.import.link}
          </ButtonLink>
        </>
      }
    >
      <Filters isSet={isFiltered(search)} onClear={() => void navigate({ search: {} })}>
        <FilterField
          label={t.products.search}
          type="search"
          value={search.search}
          onFilter={(text, isMore) => filter({ search: text }, isMore)}
        />
        <LocationCombo value={location} onLocation={(id) => filter({ location: id })} />
        <DayFilter label={t.stock.asOf} value={as_of} onFilter={(day, isMore) => filter({ as_of: day }, isMore)} />
        <Checkbox
          label={t.stock.low}
          isSelected={low === 'true'}
          onChange={(isLow) => filter({ low: isLow ? 'true' : undefined })}
        />
      </Filters>
      <Region query={query}>
        {(found) =>
          as_of === undefined ? (
            <Levels
              found={found}
              onAdd={(product, kind) => setChanged({ product, kind })}
              list={JSON.stringify(search)}
              isSearch={isFiltered(search)}
              page={page}
              onPage={(next) => filter({ page: next })}
            />
          ) : (
            <StockAsOf found={found} day={as_of} />
          )
        }
      </Region>
      {changed !== undefined && (
        <StockDialog
          kind={changed.kind}
          product={{ id: changed.product.product_id, name: changed.product.name }}
          onClose={() => setChanged(undefined)}
        />
      )}
    </Screen>
  )
}

interface LevelsProps {
  found: StockOverviewResult
  /** Names the list: with other filters or on another page nothing goes on being edited. */
  list: string
  isSearch: boolean
  page: number
  onAdd: (product: StockedProduct, kind: StockChange) => void
  onPage: (page: number | undefined) => void
}

function Levels({ found: { products, pagination }, list, isSearch, page, onAdd, onPage }: LevelsProps) {
  const { shown, hasKept, onEdit } = useEditedProducts(products)
  return (
    <PagedList
      pagination={pagination}
      hasKept={hasKept}
      total={t.products.total}
      empty={
        isSearch ? (
          <Empty text={t.products.noMatch} />
        ) : (
          <Empty text={t.products.none}>
            <ButtonLink to="/products/new" kind="primary" scope="write:products">
              {t.products.new}
            </ButtonLink>
          </Empty>
        )
      }
      page={page}
      onPage={onPage}
    >
      <StockGrid key={list} products={shown} onAdd={onAdd} onEdit={onEdit} />
    </PagedList>
  )
}
