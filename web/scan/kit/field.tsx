import { type InputHTMLAttributes, useId } from 'react'
import styles from './kit.module.css'

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'className' | 'style' | 'onChange'> {
  label: string
  value: string
  onChange: (value: string) => void
}

/** A text field with its label. */
export function Field({ label, onChange, ...rest }: FieldProps) {
  const id = useId()
  return (
    <p className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input
        {...rest}
        id={id}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
    </p>
  )
}
