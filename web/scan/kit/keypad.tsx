import { t } from '../../shared/texts/scan-texts.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import styles from './kit.module.css'

const KEYS = ['7', '8', '9', '4', '5', '6', '1', '2', '3', '.', '0'] as const

interface KeypadProps {
  label: string
  value: string
  onChange: (value: string) => void
  /** Whole units only. */
  isWhole?: boolean
}

/** A field for a quantity with keys for fingers, so that no keyboard of the system covers the screen. */
export function Keypad({ label, value, onChange, isWhole = false }: KeypadProps) {
  return (
    <div className={styles.keypad}>
      <Field label={label} value={value} inputMode="none" onChange={(typed) => onChange(typed.replace(',', '.'))} />
      <div className={styles.keys}>
        {KEYS.map((key) => (
          <Button key={key} isDisabled={key === '.' && (isWhole || value.includes('.'))} onClick={() => onChange(value + key)}>
            {key}
          </Button>
        ))}
        <Button aria-label={t.quantity.delete} onClick={() => onChange(value.slice(0, -1))}>
          {'⌫'}
        </Button>
      </div>
    </div>
  )
}

/** The quantity that was typed; undefined if it is none. */
export function quantityOf(typed: string): number | undefined {
  return /^\d{1,9}(\.\d{1,3})?$/.test(typed) ? Number(typed) : undefined
}
