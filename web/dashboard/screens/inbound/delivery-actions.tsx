import type { InboundDelivery } from '@fulfillment/sdk'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { Button } from '../../kit/button.tsx'
import { Field } from '../../kit/field.tsx'
import { WriteDialog } from '../../kit/write-dialog.tsx'
import { ReceiveGoods } from './receive-goods.tsx'

type Opened = 'receive' | 'close' | 'cancel'

/** What can be done with a delivery. The server decides; only what never can be is disabled. */
export function DeliveryActions({ delivery }: { delivery: InboundDelivery }) {
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  const isOver = delivery.state === 'closed' || delivery.state === 'cancelled'
  return (
    <>
      <Button kind="primary" scope="write:stock" isDisabled={isOver} onPress={() => setOpened('receive')}>
        {t.inbound.receive}
      </Button>
      <Button scope="write:stock" isDisabled={isOver} onPress={() => setOpened('close')}>
        {t.inbound.close}
      </Button>
      <Button
        kind="bad"
        scope="write:stock"
        isDisabled={isOver || delivery.total_received > 0}
        onPress={() => setOpened('cancel')}
      >
        {t.inbound.cancel}
      </Button>
      {opened === 'receive' && <ReceiveGoods delivery={delivery} onClose={close} />}
      {opened === 'close' && <CloseDelivery delivery={delivery} onClose={close} />}
      {opened === 'cancel' && <CancelDelivery delivery={delivery} onClose={close} />}
    </>
  )
}

interface Props {
  delivery: InboundDelivery
  onClose: () => void
}

const nameOf = ({ id, reference }: InboundDelivery): string => reference ?? String(id)

function CloseDelivery({ delivery, onClose }: Props) {
  return (
    <WriteDialog
      title={t.inbound.close}
      act={t.inbound.closeOne(nameOf(delivery))}
      scope="write:stock"
      kind="primary"
      note={t.inbound.closeText}
      input={delivery.id}
      write={(api, id, options) => api.inbound.close(id, options)}
      done={() => t.inbound.closed(nameOf(delivery))}
      onClose={onClose}
    />
  )
}

function CancelDelivery({ delivery, onClose }: Props) {
  const [reason, setReason] = useState('')
  return (
    <WriteDialog
      title={t.inbound.cancel}
      act={t.inbound.cancelOne(nameOf(delivery))}
      scope="write:stock"
      input={reason === '' ? {} : { reason }}
      write={(api, input, options) => api.inbound.cancel(delivery.id, input, options)}
      done={() => t.inbound.cancelled(nameOf(delivery))}
      onClose={onClose}
    >
      <p>{t.inbound.cancelText}</p>
      <Field label={t.orders.reason} name="reason" maxLength={1000} size="wide" value={reason} onChange={setReason} autoFocus />
    </WriteDialog>
  )
}
