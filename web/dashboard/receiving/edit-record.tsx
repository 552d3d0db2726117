import { useState } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { useWrite } from '../data/use-write.ts'
import { FormButtons } from '../kit/form-buttons.tsx'
import { Form } from '../kit/form.tsx'
import { useTyped } from '../kit/use-typed.ts'
import { HeadInput, NoteInput, type RecordHead } from './head-input.tsx'
import { isOver, nameOf, type Receivable, type ReceivingKind } from './kind.ts'

interface EditRecordProps {
  kind: ReceivingKind
  record: Receivable
  onClose: () => void
}

/** Edits the head of a delivery or return; of one that is over, the note. Only what was typed is sent: what others change meanwhile stays. */
export function EditRecord({ kind, record, onClose }: EditRecordProps) {
  const [opened] = useState(record)
  const [head, bind] = useTyped(headOf(kind, opened))
  const input = changesOf(kind, headOf(kind, opened), head)
  const write = useWrite({
    write: (api, changes: typeof input, options) => kind.calls(api).update(record.id, changes, options),
    done: () => kind.texts.saved(nameOf(record)),
    onDone: onClose,
  })
  return (
    <Form
      {...write}
      label={t.receiving.edit}
      typed={input}
      buttons={
        <FormButtons
          submit={t.dialog.save}
          scope={kind.scope}
          isSaving={write.isSaving}
          onDiscard={onClose}
          call={(api) => kind.calls(api).update(record.id, input)}
        />
      }
      onSubmit={() => void write.send(input)}
    >
      {isOver(record) ? <NoteInput bind={bind} /> : <HeadInput kind={kind} allowOver={head.allow_over} bind={bind} />}
    </Form>
  )
}

function headOf({ own }: ReceivingKind, record: Receivable): RecordHead {
  const value = (record as { supplier?: string | null; reason?: string | null })[own.name]
  return {
    expected_at: record.expected_at ?? '',
    own: value ?? '',
    note: record.note ?? '',
    allow_over: record.allow_over ? 'yes' : '',
  }
}

/** An emptied text is null. */
function changesOf({ own }: ReceivingKind, before: RecordHead, head: RecordHead) {
  return {
    ...(head.expected_at === before.expected_at ? {} : { expected_at: head.expected_at || null }),
    ...(head.own === before.own ? {} : { [own.name]: head.own || null }),
    ...(head.note === before.note ? {} : { note: head.note || null }),
    ...(head.allow_over === before.allow_over ? {} : { allow_over: head.allow_over !== '' }),
  }
}
