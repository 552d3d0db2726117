import { type ReactNode, useLayoutEffect, useMemo, useRef } from 'react'
import { type CodeFields, type FieldNames, fieldErrors } from '../data/field-errors.ts'
import { t } from '../../shared/texts/texts.ts'
import { type IsSaved, useUnsavedInput } from '../data/unsaved.ts'
import { ErrorNote } from './error-note.tsx'
import styles from './form.module.css'
import { FieldMessages } from './field-message.ts'
import { LookupsContext, useReadable } from './use-readable.ts'

export interface FormProps {
  /** In a dialog its title is name enough. */
  label?: string
  /** What is typed. While it is another than at first, leaving the screen asks. Undefined where nothing is worth asking. */
  typed: unknown
  /** What `typed` is without a change, where it is not what the form was opened with. */
  first?: unknown
  isSaved?: IsSaved | undefined
  children: ReactNode
  /** While it is saved, nothing can be typed: the form may close with the response, and what was corrected meanwhile would be lost. */
  isSaving: boolean
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

/**
 * A form. The server alone checks what is typed; its messages appear beside their fields, and all of them above the buttons. It is the browser's:
 * that of the library draws every field again at each key, which a form of 500 lines feels.
 */
export function Form(props: FormProps) {
  const { label, typed, first, isSaved, children, isSaving, error, retryAt, stop, fields, codes, buttons, onSubmit } = props
  useUnsavedInput(typed, { first, isSaved, isSaving: isSaving && typed !== undefined })
  const { messages, submit, lookups } = useReadable(onSubmit)
  const inputs = useInertInputs(isSaving)
  // The same ones as long as they do not change: every field is drawn again for others.
  const all = useMemo(() => ({ ...fieldErrors(error, fields, codes), ...messages }), [error, fields, codes, messages])
  return (
    <FieldMessages value={all}>
      <form {...(label === undefined ? {} : { 'aria-label': label })} className={styles.form} noValidate onSubmit={submit}>
        <p className={styles.legend}>{t.form.required}</p>
        <div ref={inputs} className={styles.fields} inert={isSaving}>
          <LookupsContext value={lookups}>{children}</LookupsContext>
        </div>
        <ErrorNote error={error} retryAt={retryAt} stop={stop} />
        {buttons}
      </form>
    </FieldMessages>
  )
}

/** What is inert loses the focus. Meanwhile it is at the button that sends the form, and then again where it was. */
function useInertInputs(isInert: boolean) {
  const inputs = useRef<HTMLDivElement>(null)
  const left = useRef<{ field: HTMLElement; button: Element | null }>(undefined)
  useLayoutEffect(() => {
    const { activeElement: focused, body } = document
    if (!isInert) {
      const { field, button } = left.current ?? {}
      left.current = undefined
      if (focused === button || focused === body) field?.focus({ preventScroll: true })
    } else if (focused instanceof HTMLElement && inputs.current?.contains(focused) === true) {
      const button = inputs.current.closest('form')?.querySelector<HTMLElement>('button[aria-disabled]') ?? null
      left.current = { field: focused, button }
      button?.focus({ preventScroll: true })
    }
  }, [isInert])
  return inputs
}
