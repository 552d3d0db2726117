import { type InputHTMLAttributes, useId } from 'react'
import styles from './kit.module.css'

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'className' | 'style' | 'onChange'> {
  label: string
  value: string
  onChange: (value: string) => void
  /** What is wrong with the text. It is heard wherever the focus is. */
  problem?: string | undefined
}

/** A text field with its label, and what is wrong with its text. */
export function Field({ label, onChange, problem, ...rest }: FieldProps) {
  const id = useId()
  const problemId = useId()
  return (
    <p className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input
        {...rest}
        id={id}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        {...(problem === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': problemId })}
        onChange={({ target }) => onChange(target.value)}
      />
      {problem !== undefined && (
        <span id={problemId} role="alert" className={styles.invalid}>
          {problem}
        </span>
      )}
    </p>
  )
}
