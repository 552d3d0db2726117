import { t } from '../../shared/texts/scan-texts.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import styles from './kit.module.css'
import { problemOf } from './typed-quantity.ts'

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
      <Field label={label} value={value} inputMode="none" onChange={onChange} problem={problemOf(value, isWhole)} />
      <div className={styles.keys}>
        {KEYS.map((key) => (
          <Button key={key} isDisabled={key === '.' && (isWhole || /[.,]/.test(value))} onClick={() => onChange(value + key)}>
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
