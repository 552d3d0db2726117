import type { FlowBatchSummary } from '@fulfillment/sdk'
import { type ReactNode, useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { Button } from '../../kit/button.tsx'
import { Field } from '../../kit/field.tsx'
import { WriteDialog } from '../../kit/write-dialog.tsx'
import { nameOfBatch } from './batch-cells.tsx'

type Batch = Pick<FlowBatchSummary, 'id' | 'reference'>
interface Props {
  batch: Batch
  onClose: () => void
}

/** The buttons of a running batch and the dialog that they open, which stays when the batch is read again or leaves the list. */
export function useBatchDialogs(): { buttonsOf: (batch: Batch, kind?: 'plain' | 'quiet') => ReactNode; dialog: ReactNode } {
  const [opened, setOpened] = useState<{ Dialog: typeof CompleteBatch; batch: Batch }>()
  const buttonsOf = (batch: Batch, kind: 'plain' | 'quiet' = 'plain'): ReactNode => (
    <>
      <Button
        kind={kind}
        scope="write:orders"
        aria-label={t.batches.completeOne(nameOfBatch(batch))}
        onPress={() => setOpened({ Dialog: CompleteBatch, batch })}
      >
        {t.batches.complete}
      </Button>
      <Button
        kind={kind === 'plain' ? 'bad' : kind}
        scope="write:orders"
        aria-label={t.batches.cancelOne(nameOfBatch(batch))}
        onPress={() => setOpened({ Dialog: CancelBatch, batch })}
      >
        {t.batches.cancel}
      </Button>
    </>
  )
  const dialog = opened !== undefined && <opened.Dialog batch={opened.batch} onClose={() => setOpened(undefined)} />
  return { buttonsOf, dialog }
}

function CompleteBatch({ batch, onClose }: Props) {
  const name = nameOfBatch(batch)
  return (
    <WriteDialog
      title={t.batches.completeOne(name)}
      act={t.batches.completeOne(name)}
      kind="primary"
      scope="write:orders"
      note={t.batches.completeText}
      input={batch.id}
      write={(api, id, options) => api.flowBatches.complete(id, options)}
      done={() => t.batches.completed(name)}
      onClose={onClose}
    />
  )
}

function CancelBatch({ batch, onClose }: Props) {
  const [reason, setReason] = useState('')
  const name = nameOfBatch(batch)
  return (
    <WriteDialog
      title={t.batches.cancelOne(name)}
      act={t.batches.cancelOne(name)}
      scope="write:orders"
      note={t.batches.cancelText}
      input={reason === '' ? {} : { reason }}
      write={(api, input, options) => api.flowBatches.cancel(batch.id, input, options)}
      done={() => t.batches.cancelled(name)}
      onClose={onClose}
    >
      <Field label={t.picking.reason} name="reason" maxLength={1000} size="wide" value={reason} onChange={setReason} autoFocus />
    </WriteDialog>
  )
}
