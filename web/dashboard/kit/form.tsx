import type { ReactNode } from 'react'
import { Form as AriaForm } from 'react-aria-components'
import { type CodeFields, type FieldNames, fieldErrors } from '../data/field-errors.ts'
import { ErrorNote } from './error-note.tsx'
import styles from './form.module.css'
import { FieldMessages } from './field-message.ts'
import { useReadable } from './use-readable.ts'

export interface FormProps {
  label: string
  children: ReactNode
  error: Error | undefined
  retryAt?: number | undefined
  /** Ends the wait until `retryAt`. */
  stop?: (() => void) | undefined
  /** Fields whose name in the form differs from the server's, and codes of errors that belong to one field. */
  fields?: FieldNames
  codes?: CodeFields
  /** What sends the form. */
  buttons: ReactNode
  onSubmit: () => void
}

/** A form. The server alone checks what is typed; its messages appear beside their fields, and all of them above the buttons. */
export function Form({ label, children, error, retryAt, stop, fields, codes, buttons, onSubmit }: FormProps) {
  const { messages, submit } = useReadable(onSubmit)
  return (
    <FieldMessages value={{ ...fieldErrors(error, fields, codes), ...messages }}>
      <AriaForm aria-label={label} className={styles.form} validationBehavior="aria" onSubmit={submit}>
        {children}
        <ErrorNote error={error} retryAt={retryAt} stop={stop} />
        {buttons}
      </AriaForm>
    </FieldMessages>
  )
}
