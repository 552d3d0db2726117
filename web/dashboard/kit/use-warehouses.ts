import type { Warehouse } from '@fulfillment/sdk'
import { t } from '../../shared/texts/texts.ts'
import { useScope } from '../data/session.tsx'
import { useRead } from '../data/use-read.ts'

const MAX_WAREHOUSES = 100

interface Warehouses {
  warehouses: readonly Warehouse[]
  /** A warehouse by its name, or by its id where the name cannot be read; nothing until it is read. */
  nameOf: (id: number) => string
}

/** The warehouses of the tenant; none for a key that cannot read them. */
export function useWarehouses(): Warehouses {
  const canRead = useScope('read:stock')
  const { data, isLoading } = useRead(['warehouses'], (api, options) => api.warehouses.list({ limit: MAX_WAREHOUSES }, options), {
    enabled: canRead,
  })
  const warehouses = data?.warehouses ?? []
  return {
    warehouses,
    nameOf: (id) => warehouses.find((each) => each.id === id)?.name ?? (isLoading ? '' : t.reservations.warehouse(id)),
  }
}
