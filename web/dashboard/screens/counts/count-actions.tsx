import type { Count } from '@fulfillment/sdk'
import { useEffect, useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { askBefore } from '../../data/unsaved.ts'
import { useWrite } from '../../data/use-write.ts'
import { Button } from '../../kit/button.tsx'
import { CancelRecord } from '../../kit/cancel-record.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { ErrorNote } from '../../kit/error-note.tsx'
import { nameOf } from '../../receiving/kind.ts'
import { AddEntry } from './add-entry.tsx'
import { refusalOf, type Refusal } from './refusal.ts'

interface CountActionsProps {
  count: Count
  /** Approval was refused for lines. */
  onRefused: (refusal: Refusal) => void
}

/** What can be done with a count. The server decides; only what never can be is disabled. */
export function CountActions({ count, onRefused }: CountActionsProps) {
  const [opened, setOpened] = useState<'entry' | 'approve' | 'cancel'>()
  const close = () => setOpened(undefined)
  const { id, state } = count
  const name = nameOf(count)
  const write = useWrite({
    write: (api, to: 'submit' | 'reopen', options) => api.counts[to](id, options),
    done: (_, to) => (to === 'submit' ? t.counts.submitted(name) : t.counts.reopened(name)),
  })
  const isCounting = state === 'counting'
  const isInReview = state === 'review'
  return (
    <>
      <Button scope="write:stock" isDisabled={!isCounting} onPress={() => setOpened('entry')}>
        {t.counts.addEntry}
      </Button>
      <Button
        kind={isCounting ? 'primary' : 'plain'}
        scope="write:stock"
        isDisabled={!isCounting}
        isSaving={write.isSaving}
        onPress={() => void askBefore(() => void write.send('submit'))}
      >
        {t.counts.submit}
      </Button>
      <Button scope="write:stock" isDisabled={!isInReview} isSaving={write.isSaving} onPress={() => void write.send('reopen')}>
        {t.counts.reopen}
      </Button>
      <Button
        kind={isInReview ? 'primary' : 'plain'}
        scope="write:stock"
        isDisabled={!isInReview}
        onPress={() => setOpened('approve')}
      >
        {t.counts.approve}
      </Button>
      <Button kind="bad" scope="write:stock" isDisabled={!isCounting && !isInReview} onPress={() => setOpened('cancel')}>
        {t.counts.cancel}
      </Button>
      <ErrorNote error={write.error} retryAt={write.retryAt} stop={write.stop} />
      {opened === 'entry' && <AddEntry count={count} onClose={close} />}
      {opened === 'approve' && <ApproveCount count={count} onRefused={onRefused} onClose={close} />}
      {opened === 'cancel' && (
        <CancelRecord
          title={t.counts.cancel}
          act={t.counts.cancelOne(name)}
          text={t.counts.cancelText}
          scope="write:stock"
          write={(api, input, options) => api.counts.cancel(id, input, options)}
          done={t.counts.cancelled(name)}
          onClose={close}
        />
      )}
    </>
  )
}

/** Asks before differences are posted. When lines stand in the way, it closes: the screen says so at them. */
function ApproveCount({ count, onRefused, onClose }: CountActionsProps & { onClose: () => void }) {
  const { id, lines_total, lines_counted, lines_different } = count
  const writing = useWrite({
    write: (api, countId: number, options) => api.counts.approve(countId, {}, options),
    done: () => t.counts.approved(nameOf(count)),
    onDone: onClose,
    title: t.counts.approve,
  })
  const refusal = refusalOf(writing.error, count)
  useEffect(() => {
    if (refusal === undefined) return
    onRefused(refusal)
    onClose()
  }, [writing.error])
  const left = lines_total - lines_counted
  return (
    <Confirm
      {...writing}
      title={t.counts.approve}
      act={t.counts.approveOne(nameOf(count))}
      scope="write:stock"
      note={t.counts.approveText(lines_different ?? 0)}
      calls={[(api) => api.counts.approve(id, {})]}
      onConfirm={() => void writing.send(id)}
      onClose={onClose}
    >
      {left > 0 && <p>{t.counts.linesLeft(left)}</p>}
    </Confirm>
  )
}
