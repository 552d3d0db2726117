import { X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Button } from '../../kit/button.tsx'
import { Combo } from '../../kit/combo.tsx'
import field from '../../kit/field.module.css'
import { useFieldMessage } from '../../kit/field-message.ts'
import { ProductCombo } from '../../kit/product-combo.tsx'
import styles from './counts.module.css'

const MAX_OFFERED = 100

/** A location or product of the scope of a count. */
export interface Chosen {
  id: string
  label: string
}

interface ScopeProps {
  chosen: readonly Chosen[]
  /** Scans may come faster than they are drawn: a change is of what is chosen then. */
  onChange: (change: (chosen: readonly Chosen[]) => readonly Chosen[]) => void
}

/** The locations of the scope. The first hundred are offered, of the warehouse if one is chosen; any id can be typed. */
export function LocationsInput({ chosen, warehouse, onChange }: ScopeProps & { warehouse: number | undefined }) {
  const [added, setAdded] = useState(0)
  const { data } = useRead(['locations', 'combo'], (api, options) => api.locations.list({ limit: MAX_OFFERED }, options))
  const offered = data?.locations.filter(({ warehouse_id }) => warehouse === undefined || warehouse_id === warehouse) ?? []
  const add = (item: Chosen): void => {
    setAdded(added + 1)
    onChange((before) => withItem(before, item))
  }
  const addTyped = (text: string): void => {
    if (text === '') return
    const found = offered.find(({ code }) => code === text) ?? { id: text, code: text }
    add({ id: found.id, label: found.code })
  }
  return (
    <ChosenList chosen={chosen} onChange={onChange} label={t.counts.locations} name="location_ids">
      <Combo
        key={added}
        label={t.counts.addLocation}
        hint={t.counts.addLocationHint}
        name="location_ids"
        value=""
        autoFocus={added > 0}
        options={offered.map(({ id, code, name }) => ({ id, label: code, note: name ?? (code === id ? undefined : id) }))}
        onChoose={({ id, label }) => add({ id, label })}
        onText={addTyped}
      />
    </ChosenList>
  )
}

/** The products of the scope. */
export function ProductsInput({ chosen, onChange }: ScopeProps) {
  return (
    <ChosenList chosen={chosen} onChange={onChange} label={t.counts.products} name="product_ids">
      <ProductCombo
        label={t.counts.addProduct}
        hint={t.counts.addProductHint}
        value=""
        isAdding
        onProduct={({ id, name }) => onChange((before) => withItem(before, { id: String(id), label: name }))}
      />
    </ChosenList>
  )
}

const withItem = (chosen: readonly Chosen[], item: Chosen): readonly Chosen[] =>
  chosen.some(({ id }) => id === item.id) ? chosen : [...chosen, item]

interface ChosenListProps extends ScopeProps {
  label: string
  name: 'location_ids' | 'product_ids'
  /** The field that adds one. */
  children: ReactNode
}

function ChosenList({ chosen, onChange, label, name, children }: ChosenListProps) {
  return (
    <div className={styles.scope}>
      {children}
      {chosen.length > 0 && (
        <ul aria-label={label} className={styles.chosen}>
          {chosen.map((item, position) => (
            <ChosenItem
              key={item.id}
              item={item}
              name={`${name}[${position}]`}
              onRemove={() => onChange((before) => before.filter(({ id }) => id !== item.id))}
            />
          ))}
        </ul>
      )}
    </div>
  )
}

function ChosenItem({ item: { label }, name, onRemove }: { item: Chosen; name: string; onRemove: () => void }) {
  const message = useFieldMessage(name)
  return (
    <li>
      <span className={styles.chosenText}>
        {label}
        {message !== undefined && <span className={field.error}>{message}</span>}
      </span>
      <Button kind="quiet" aria-label={t.counts.remove(label)} onPress={onRemove}>
        <X size={16} aria-hidden />
      </Button>
    </li>
  )
}
