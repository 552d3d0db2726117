import type { Location } from '@fulfillment/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Button } from '../../kit/button.tsx'
import { ButtonLink } from '../../kit/link.tsx'
import { PagedTable } from '../../kit/paged-table.tsx'
import { Empty } from '../../kit/region.tsx'
import { Screen } from '../../kit/screen.tsx'
import type { Column } from '../../kit/table.tsx'
import { Value } from '../../kit/time.tsx'
import { useWarehouses } from '../../kit/use-warehouses.ts'
import { EditLocation } from './edit-location.tsx'
import { NewWarehouse } from './new-warehouse.tsx'

const LIMIT = 50

/** Storage locations and the warehouses that they belong to. */
export function LocationsScreen() {
  const { page = 1 } = useSearch({ from: '/frame/locations' })
  const navigate = useNavigate({ from: '/locations' })
  const [edited, setEdited] = useState<Location>()
  const [isAdding, setAdding] = useState(false)
  const query = useRead(['locations', page], (api, options) => api.locations.list({ page, limit: LIMIT }, options), {
    isMain: true,
  })
  const { warehouses, nameOf } = useWarehouses()
  return (
    <Screen
      title={t.nav.locations}
      actions={
        <>
          <ButtonLink to="/locations/labels">{t.labels.link}</ButtonLink>
          <Button scope="write:stock" onPress={() => setAdding(true)}>
            {t.locations.newWarehouse}
          </Button>
        </>
      }
    >
      <PagedTable
        query={query}
        caption={t.nav.locations}
        columns={columns(nameOf, setEdited)}
        rowsOf={({ locations }) => locations}
        rowKey={({ id }) => id}
        total={t.locations.total}
        empty={<Empty text={t.locations.none} />}
        page={page}
        onPage={(next) => void navigate({ search: { page: next } })}
      />
      {edited !== undefined && <EditLocation location={edited} warehouses={warehouses} onClose={() => setEdited(undefined)} />}
      {isAdding && <NewWarehouse onClose={() => setAdding(false)} />}
    </Screen>
  )
}

const columns = (nameOf: (id: number) => string, edit: (location: Location) => void): Column<Location>[] => [
  { id: 'code', header: t.locations.code, cell: ({ code }) => code },
  { id: 'id', header: t.locations.id, cell: ({ id }) => id },
  { id: 'name', header: t.products.name, isWide: true, cell: ({ name }) => <Value text={name} /> },
  { id: 'warehouse', header: t.locations.warehouse, cell: ({ warehouse_id }) => nameOf(warehouse_id) },
  {
    id: 'sequence',
    header: t.locations.pickSequence,
    isNumber: true,
    cell: ({ pick_sequence }) => <Value text={pick_sequence?.toString()} />,
  },
  { id: 'pickable', header: t.locations.pickable, cell: ({ pickable }) => yesOrNo(pickable) },
  { id: 'sellable', header: t.locations.sellable, cell: ({ sellable }) => yesOrNo(sellable) },
  {
    id: 'actions',
    header: t.keys.actions,
    cell: (location) => (
      <Button kind="quiet" scope="write:stock" aria-label={t.locations.editOne(location.code)} onPress={() => edit(location)}>
        {t.orders.edit}
      </Button>
    ),
  },
]

const yesOrNo = (is: boolean): string => (is ? t.products.yes : t.products.no)
