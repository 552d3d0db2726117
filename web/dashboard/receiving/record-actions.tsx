import { type ComponentType, useState } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { Button } from '../kit/button.tsx'
import { CancelRecord } from '../kit/cancel-record.tsx'
import { WriteDialog } from '../kit/write-dialog.tsx'
import { isOver, nameOf, type Receivable, type ReceivingKind } from './kind.ts'

/** What a dialog is about, and what closes it. */
export interface RecordDialogProps<Rec extends Receivable> {
  record: Rec
  onClose: () => void
}

interface RecordActionsProps<Rec extends Receivable> {
  kind: ReceivingKind
  record: Rec
  onEdit: () => void
  /** The dialog that receives goods. */
  Receive: ComponentType<RecordDialogProps<Rec>>
}

/** What can be done with a delivery or return. The server decides; only what never can be is disabled. */
export function RecordActions<Rec extends Receivable>({ kind, record, onEdit, Receive }: RecordActionsProps<Rec>) {
  const [opened, setOpened] = useState<'receive' | 'close' | 'cancel'>()
  const close = () => setOpened(undefined)
  const isClosed = isOver(record)
  return (
    <>
      <Button kind="primary" scope={kind.scope} isDisabled={isClosed} onPress={() => setOpened('receive')}>
        {t.receiving.receive}
      </Button>
      <Button scope={kind.scope} onPress={onEdit}>
        {t.receiving.edit}
      </Button>
      <Button scope={kind.scope} isDisabled={isClosed} onPress={() => setOpened('close')}>
        {t.receiving.close}
      </Button>
      <Button
        kind="bad"
        scope={kind.scope}
        isDisabled={isClosed || record.total_received > 0}
        onPress={() => setOpened('cancel')}
      >
        {t.receiving.cancel}
      </Button>
      {opened === 'receive' && <Receive record={record} onClose={close} />}
      {opened === 'close' && <CloseRecord kind={kind} record={record} onClose={close} />}
      {opened === 'cancel' && (
        <CancelRecord
          title={t.receiving.cancel}
          act={kind.texts.cancelOne(nameOf(record))}
          text={kind.texts.cancelText}
          scope={kind.scope}
          write={(api, input, options) => kind.calls(api).cancel(record.id, input, options)}
          done={kind.texts.cancelled(nameOf(record))}
          onClose={close}
        />
      )}
    </>
  )
}

function CloseRecord({ kind, record, onClose }: RecordDialogProps<Receivable> & { kind: ReceivingKind }) {
  return (
    <WriteDialog
      title={t.receiving.close}
      act={kind.texts.closeOne(nameOf(record))}
      scope={kind.scope}
      kind="primary"
      note={t.receiving.closeText}
      input={record.id}
      write={(api, id, options) => kind.calls(api).close(id, options)}
      done={() => kind.texts.closed(nameOf(record))}
      onClose={onClose}
    />
  )
}
