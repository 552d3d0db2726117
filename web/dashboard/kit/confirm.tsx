import { type ReactNode, useState } from 'react'
import { Form as AriaForm } from 'react-aria-components'
import type { Call } from '../../shared/curl.ts'
import { t } from '../../shared/texts/texts.ts'
import { type CodeFields, fieldErrors } from '../data/field-errors.ts'
import type { Scope } from '../data/scopes.ts'
import { Button } from './button.tsx'
import { CopyAsCurl } from './copy-as-curl.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorNote } from './error-note.tsx'
import { Field } from './field.tsx'
import form from './form.module.css'
import { FieldMessages } from './field-message.ts'
import { useReadable } from './use-readable.ts'

export interface ConfirmProps {
  title: string
  /** The button's name: it names the act. */
  act: string
  onClose: () => void
  onConfirm: () => void
  /** What it sends, for `Copy as curl`. */
  calls: readonly Call[]
  children?: ReactNode
  scope?: Scope | undefined
  isSaving: boolean
  error: Error | undefined
  retryAt?: number | undefined
  /** Ends the wait until `retryAt`. */
  stop?: (() => void) | undefined
  /** A name that must be typed first. */
  typedName?: string | undefined
  codes?: CodeFields
  /** What the act is about. */
  note?: string
  kind?: 'primary' | 'bad'
}

/** A dialog that asks before it acts, or takes what the act needs. */
export function Confirm(props: ConfirmProps) {
  const {
    title,
    act,
    onClose,
    onConfirm,
    calls,
    children,
    scope,
    isSaving,
    error,
    retryAt,
    stop,
    typedName,
    codes,
    note,
    kind = 'bad',
  } = props
  const [typed, setTyped] = useState('')
  const isReady = typedName === undefined || typed === typedName
  const { messages, submit } = useReadable(() => {
    if (isReady) onConfirm()
  })
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <FieldMessages value={{ ...fieldErrors(error, {}, codes), ...messages }}>
        <AriaForm className={form.form} validationBehavior="aria" onSubmit={submit}>
          {note !== undefined && <p>{note}</p>}
          {children}
          {typedName !== undefined && (
            <Field label={t.dialog.typeToConfirm(typedName)} value={typed} onChange={setTyped} size="wide" autoFocus />
          )}
          <ErrorNote error={error} retryAt={retryAt} stop={stop} />
          <div className={form.buttons}>
            <CopyAsCurl calls={() => calls} />
            <Button onPress={onClose}>{t.dialog.back}</Button>
            <Button type="submit" kind={kind} scope={scope} isSaving={isSaving} isDisabled={!isReady}>
              {act}
            </Button>
          </div>
        </AriaForm>
      </FieldMessages>
    </Dialog>
  )
}
