import { t } from '../../shared/texts/texts.ts'
import { useRead } from '../data/use-read.ts'
import { Combo } from './combo.tsx'

const LIMIT = 100

interface LocationComboProps {
  value: string | undefined
  onLocation: (id: string | undefined) => void
}

/** A filter by location, which people know by its code. The first hundred are offered; any id can be typed. */
export function LocationCombo({ value, onLocation }: LocationComboProps) {
  const { data } = useRead(['locations', 'combo'], (api, options) => api.locations.list({ limit: LIMIT }, options))
  const locations = data?.locations ?? []
  const choose = (typed: string): void => {
    const found = locations.find(({ code }) => code === typed)
    onLocation(found?.id ?? (typed === '' ? undefined : typed))
  }
  return (
    <Combo
      label={t.stock.location}
      size="narrow"
      value={locations.find(({ id }) => id === value)?.code ?? value ?? ''}
      options={locations.map(({ id, code, name }) => ({ id, label: code, note: name ?? (code === id ? undefined : id) }))}
      onChoose={({ id }) => onLocation(id)}
      onText={choose}
    />
  )
}
