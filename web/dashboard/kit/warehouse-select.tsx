import { t } from '../../shared/texts/texts.ts'
import { idOf } from '../search-parameters.ts'
import { Select } from './select.tsx'
import { useWarehouses } from './use-warehouses.ts'

interface WarehouseSelectProps {
  /** What the choice of none says. */
  none: string
  name?: string
  value: number | undefined
  onWarehouse: (id: number | undefined) => void
}

/** A choice of a warehouse, or of none. Absent where there is only one to choose. */
export function WarehouseSelect({ none, name, value, onWarehouse }: WarehouseSelectProps) {
  const { warehouses } = useWarehouses()
  if (warehouses.length < 2 && value === undefined) return null
  return (
    <Select
      label={t.locations.warehouse}
      {...(name === undefined ? {} : { name })}
      options={[{ value: '', label: none }, ...warehouses.map(({ id, name: label }) => ({ value: String(id), label }))]}
      value={value === undefined ? '' : String(value)}
      onChange={(chosen) => onWarehouse(idOf(chosen))}
    />
  )
}
