import { type ReactNode, useState } from 'react'
import type { Call } from '../../shared/curl.ts'
import { t } from '../../shared/texts/texts.ts'
import type { CodeFields } from '../data/field-errors.ts'
import type { Scope } from '../data/scopes.ts'
import { askBefore, type IsSaved, useUnsavedInput } from '../data/unsaved.ts'
import { Button } from './button.tsx'
import { CopyAsCurl } from './copy-as-curl.tsx'
import { Dialog } from './dialog.tsx'
import { Field } from './field.tsx'
import form from './form.module.css'
import { Form } from './form.tsx'

export interface ConfirmProps {
  title: string
  /** The button's name: it names the act. */
  act: string
  onClose: () => void
  onConfirm: () => void
  /** What is typed, where something is. While it is another than at first, or is being saved, closing the dialog asks. */
  typed?: unknown
  isSaved?: IsSaved | undefined
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
    typed,
    isSaved,
    calls,
    children,
    scope,
    isSaving,
    typedName,
    note,
    kind = 'bad',
  } = props
  const { error, retryAt, stop, codes } = props
  const [name, setName] = useState('')
  const unsaved = useUnsavedInput(typed, { isSaved, isSaving })
  const close = (): void => void askBefore(onClose, unsaved)
  const isReady = typedName === undefined || name === typedName
  return (
    <Dialog title={title} isOpen onClose={close}>
      <Form
        typed={undefined}
        isSaving={isSaving}
        error={error}
        retryAt={retryAt}
        stop={stop}
        {...(codes === undefined ? {} : { codes })}
        onSubmit={() => {
          if (isReady) onConfirm()
        }}
        buttons={
          <div className={form.buttons}>
            <CopyAsCurl calls={() => calls} />
            <Button onPress={close}>{t.dialog.back}</Button>
            <Button type="submit" kind={kind} scope={scope} isSaving={isSaving} isDisabled={!isReady}>
              {act}
            </Button>
          </div>
        }
      >
        {note !== undefined && <p>{note}</p>}
        {children}
        {typedName !== undefined && (
          <Field label={t.dialog.typeToConfirm(typedName)} value={name} onChange={setName} size="wide" autoFocus />
        )}
      </Form>
    </Dialog>
  )
}
