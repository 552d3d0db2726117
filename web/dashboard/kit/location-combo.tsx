import { t } from '../../shared/texts/texts.ts'
import { useRead } from '../data/use-read.ts'
import { Combo } from './combo.tsx'

const LIMIT = 100

interface LocationComboProps {
  value: string | undefined
  onLocation: (id: string | undefined) => void
}

/** A filter by location. The first hundred are offered; any id can be typed. */
export function LocationCombo({ value, onLocation }: LocationComboProps) {
  const { data } = useRead(['locations', 'combo'], (api, options) => api.locations.list({ limit: LIMIT }, options))
  const locations = data?.locations ?? []
  return (
    <Combo
      label={t.stock.location}
      size="narrow"
      value={value ?? ''}
      options={locations.map(({ id, code, name }) => ({ id, label: code, note: name ?? (code === id ? undefined : id) }))}
      onChoose={({ id }) => onLocation(id)}
      onText={(id) => onLocation(id === '' ? undefined : id)}
    />
  )
}
