import { type InputHTMLAttributes, useId } from 'react'
import styles from './kit.module.css'

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'className' | 'style' | 'onChange'> {
  label: string
  value: string
  onChange: (value: string) => void
  /** What can be entered. */
  hint?: string | undefined
  /** What is wrong with the text. It is heard wherever the focus is. */
  problem?: string | undefined
}

/** A text field with its label, what can be entered, and what is wrong with its text. */
export function Field({ label, onChange, hint, problem, ...rest }: FieldProps) {
  const id = useId()
  const hintId = useId()
  const problemId = useId()
  const described = [hint === undefined ? '' : hintId, problem === undefined ? '' : problemId].join(' ').trim()
  return (
    <p className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input
        {...rest}
        id={id}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        {...(problem === undefined ? {} : { 'aria-invalid': true })}
        {...(described === '' ? {} : { 'aria-describedby': described })}
        onChange={({ target }) => onChange(target.value)}
      />
      {hint !== undefined && <span id={hintId}>{hint}</span>}
      {problem !== undefined && (
        <span id={problemId} role="alert" className={styles.invalid}>
          {problem}
        </span>
      )}
    </p>
  )
}
