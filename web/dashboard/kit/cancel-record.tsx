import { useState } from 'react'
import { t } from '../../shared/texts/texts.ts'
import type { Scope } from '../data/scopes.ts'
import type { Write } from '../data/use-write.ts'
import { Field } from './field.tsx'
import { WriteDialog } from './write-dialog.tsx'

interface CancelRecordProps<T> {
  title: string
  /** The button's name: it names the record. */
  act: string
  /** What it does. */
  text: string
  scope: Scope
  write: Write<{ reason?: string }, T>
  /** What the message says. */
  done: string
  onClose: () => void
}

/** The dialog that cancels a record, with an optional reason. */
export function CancelRecord<T>({ text, done, ...dialog }: CancelRecordProps<T>) {
  const [reason, setReason] = useState('')
  return (
    <WriteDialog {...dialog} input={reason === '' ? {} : { reason }} done={() => done}>
      <p>{text}</p>
      <Field label={t.orders.reason} name="reason" maxLength={1000} size="wide" value={reason} onChange={setReason} autoFocus />
    </WriteDialog>
  )
}
