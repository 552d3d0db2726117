import type { Order } from '@fulfillment/sdk'
import { useState } from 'react'
import { ORDER_STATE } from '../../../shared/order-state.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useWrite } from '../../data/use-write.ts'
import { Button } from '../../kit/button.tsx'
import { CancelRecord } from '../../kit/cancel-record.tsx'
import { ErrorNote } from '../../kit/error-note.tsx'
import { isOpen } from '../../kit/order-state.tsx'

/** What can be done with an order. The server decides; only what never can be is disabled. */
export function OrderActions({ order, onEdit }: { order: Order; onEdit: () => void }) {
  const [isCancelling, setCancelling] = useState(false)
  const { id, order_tenant_id, state_id } = order
  const isOver = !isOpen(order)
  const write = useWrite({
    write: (api, state: 2 | 5, options) => api.orders.update(id, { state_id: state }, options),
    done: (_, state) =>
      state === ORDER_STATE.released ? t.orders.released(order_tenant_id) : t.orders.completed(order_tenant_id),
  })
  return (
    <>
      <Button scope="write:orders" isDisabled={isOver} onPress={onEdit}>
        {t.orders.edit}
      </Button>
      <Button
        scope="write:orders"
        isDisabled={state_id !== ORDER_STATE.pending}
        isSaving={write.isSaving}
        onPress={() => void write.send(ORDER_STATE.released)}
      >
        {t.orders.release}
      </Button>
      <Button
        scope="write:orders"
        isDisabled={isOver}
        isSaving={write.isSaving}
        onPress={() => void write.send(ORDER_STATE.completed)}
      >
        {t.orders.complete}
      </Button>
      <Button kind="bad" scope="write:orders" isDisabled={isOver} onPress={() => setCancelling(true)}>
        {t.orders.cancel}
      </Button>
      <ErrorNote error={write.error} retryAt={write.retryAt} stop={write.stop} />
      {isCancelling && <CancelOrder order={order} onClose={() => setCancelling(false)} />}
    </>
  )
}

function CancelOrder({ order: { id, order_tenant_id }, onClose }: { order: Order; onClose: () => void }) {
  return (
    <CancelRecord
      title={t.orders.cancel}
      act={t.orders.cancelOne(order_tenant_id)}
      text={t.orders.cancelText}
      scope="write:orders"
      write={(api, input, options) => api.orders.cancel(String(id), input, options)}
      done={t.orders.cancelled(order_tenant_id)}
      onClose={onClose}
    />
  )
}
