import { useEffect } from 'react'
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
  const withCode = (typed: string | undefined): string | undefined => locations.find(({ code }) => code === typed)?.id
  const choose = (typed: string): void => onLocation(withCode(typed) ?? (typed === '' ? undefined : typed))
  // A code that was chosen before the locations were read was taken for an id.
  const late = locations.some(({ id }) => id === value) ? undefined : withCode(value)
  useEffect(() => {
    if (late !== undefined) onLocation(late)
  })
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
