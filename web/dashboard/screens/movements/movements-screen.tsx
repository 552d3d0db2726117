import { useNavigate, useSearch } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { ExportButton } from '../../kit/export-button.tsx'
import { DayFilter } from '../../kit/filter-field.tsx'
import { ListScreen } from '../../kit/list-screen.tsx'
import { LocationCombo } from '../../kit/location-combo.tsx'
import { MOVEMENT_COLUMNS } from '../../kit/movements-table.tsx'
import { OptionFilter } from '../../kit/option-filter.tsx'
import { ProductFilter } from '../../kit/product-filter.tsx'
import { type Filter, filterBy } from '../../search-parameters.ts'
import { MOVEMENT_TYPES, type MovementsSearch } from './movements-search.ts'

const LIMIT = 50

/** What changed the stock, newest first. */
export function MovementsScreen() {
  const search = useSearch({ from: '/frame/movements' })
  const navigate = useNavigate({ from: '/movements' })
  const { page = 1, ...filters } = search
  const filter = filterBy(navigate)
  const query = useRead(
    ['movements', search],
    (api, options) => api.stock.movements({ ...filters, page, limit: LIMIT }, options),
    { isMain: true },
  )
  return (
    <ListScreen
      title={t.nav.movements}
      texts={t.movements}
      search={search}
      onClear={() => void navigate({ search: {} })}
      onPage={(next) => filter({ page: next })}
      query={query}
      rowsOf={({ movements }) => movements}
      columns={MOVEMENT_COLUMNS}
      actions={<ExportButton resource="movements" query={filters} scope="read:stock" />}
    >
      <MovementFilters search={search} filter={filter} />
    </ListScreen>
  )
}

function MovementFilters({ search, filter }: { search: MovementsSearch; filter: Filter<MovementsSearch> }) {
  return (
    <>
      <OptionFilter
        label={t.movements.type}
        any={t.movements.anyType}
        values={MOVEMENT_TYPES}
        labelOf={(type) => t.movements.types[type]}
        value={search.movement_type}
        onFilter={(movement_type) => filter({ movement_type })}
      />
      <LocationCombo value={search.location_id} onLocation={(location_id) => filter({ location_id })} />
      <ProductFilter id={search.product_id} onId={(product_id) => filter({ product_id })} />
      <DayFilter
        label={t.movements.from}
        value={search.start_date}
        onFilter={(start_date, isMore) => filter({ start_date }, isMore)}
      />
      <DayFilter
        label={t.movements.until}
        value={search.end_date}
        onFilter={(end_date, isMore) => filter({ end_date }, isMore)}
      />
    </>
  )
}
