import type { SettingsUpdateParams, TenantSettings } from '@fulfillment/sdk'
import { X } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useWrite } from '../../data/use-write.ts'
import { Button } from '../../kit/button.tsx'
import { Field } from '../../kit/field.tsx'
import { FormButtons } from '../../kit/form-buttons.tsx'
import { Form } from '../../kit/form.tsx'
import { numberOf } from '../../kit/number-input.ts'
import styles from './settings.module.css'

interface Typed {
  pattern: string
  decimals: string
}

const MAX_PATTERNS = 10

/** The patterns of barcodes that hold a weight; the first that fits is used. */
export function WeightBarcodes({ settings: { weight_barcodes } }: { settings: TenantSettings }) {
  const [edited, setEdited] = useState<readonly Typed[]>()
  const present = weight_barcodes.map(({ pattern, decimals }) => ({ pattern, decimals: String(decimals) }))
  const patterns = edited ?? present
  const input = { weight_barcodes: patterns.map(({ pattern, decimals }) => ({ pattern, decimals: numberOf(decimals) })) }
  const write = useWrite({
    write: (api, params: SettingsUpdateParams, options) => api.settings.update(params, options),
    done: () => t.settings.barcodesSaved,
    onDone: () => setEdited(undefined),
  })
  const change = (position: number, part: Partial<Typed>): void =>
    setEdited(patterns.map((each, at) => (at === position ? { ...each, ...part } : each)))
  const remove = (position: number): void => {
    // The server's messages name places, which now are those of other patterns.
    write.forget()
    setEdited(patterns.filter((_, at) => at !== position))
  }
  return (
    <Form
      {...write}
      label={t.settings.weightBarcodes}
      typed={patterns}
      first={present}
      buttons={
        <FormButtons
          submit={t.settings.saveBarcodes}
          scope="admin"
          isSaving={write.isSaving}
          call={(api) => api.settings.update(input)}
        />
      }
      onSubmit={() => void write.send(input)}
    >
      <p>{t.settings.weightText}</p>
      {patterns.length === 0 ? (
        <p>{t.settings.noPatterns}</p>
      ) : (
        <ol className={styles.patterns}>
          {[...patterns.entries()].map(([position, each]) => (
            // A pattern has no other name than its place.
            <li key={position}>
              <PatternInput
                typed={each}
                position={position}
                onChange={(part) => change(position, part)}
                onRemove={() => remove(position)}
              />
            </li>
          ))}
        </ol>
      )}
      <div>
        <Button
          isDisabled={patterns.length >= MAX_PATTERNS}
          onPress={() => setEdited([...patterns, { pattern: '', decimals: '3' }])}
        >
          {t.settings.addPattern}
        </Button>
      </div>
    </Form>
  )
}

interface PatternProps {
  typed: Typed
  position: number
  onChange: (part: Partial<Typed>) => void
  onRemove: () => void
}

function PatternInput({ typed: { pattern, decimals }, position, onChange, onRemove }: PatternProps) {
  return (
    <>
      <Field
        label={t.settings.pattern}
        name={`weight_barcodes[${position}].pattern`}
        isRequired
        maxLength={13}
        value={pattern}
        onChange={(text) => onChange({ pattern: text })}
      />
      <Field
        label={t.settings.decimals}
        name={`weight_barcodes[${position}].decimals`}
        mark={t.units.kg}
        isRequired
        type="number"
        size="narrow"
        value={decimals}
        onChange={(text) => onChange({ decimals: text })}
      />
      <Button kind="quiet" aria-label={t.settings.removePattern(pattern)} onPress={onRemove}>
        <X size={16} aria-hidden />
      </Button>
    </>
  )
}
