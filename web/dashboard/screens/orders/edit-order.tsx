import type { Order, OrdersUpdateParams } from '@fulfillment/sdk'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useWrite } from '../../data/use-write.ts'
import { FormButtons } from '../../kit/form-buttons.tsx'
import { Form } from '../../kit/form.tsx'
import { useTyped } from '../../kit/use-typed.ts'
import { type OrderHead, OrderHeadInput } from './order-head-input.tsx'

/** Edits the head of an order. Only what was typed is sent: what others change meanwhile stays. */
export function EditOrder({ order, onClose }: { order: Order; onClose: () => void }) {
  const [opened] = useState(order)
  const [head, bind] = useTyped(headOf(opened))
  const input = changesOf(opened, head)
  const write = useWrite({
    write: (api, params: OrdersUpdateParams, options) => api.orders.update(order.id, params, options),
    done: () => t.orders.saved(order.order_tenant_id),
    onDone: onClose,
  })
  return (
    <Form
      {...write}
      label={t.orders.edit}
      typed={input}
      buttons={
        <FormButtons
          submit={t.dialog.save}
          scope="write:orders"
          isSaving={write.isSaving}
          onDiscard={onClose}
          call={(api) => api.orders.update(order.id, input)}
        />
      }
      onSubmit={() => void write.send(input)}
    >
      <OrderHeadInput bind={bind} />
    </Form>
  )
}

const headOf = ({ assembly_date, customer_name, shipping_address }: Order): OrderHead => ({
  assembly_date,
  customer_name: customer_name ?? '',
  shipping_address: shipping_address ?? '',
})

/** An emptied text is null. */
function changesOf(order: Order, head: OrderHead): OrdersUpdateParams {
  const before = headOf(order)
  const { assembly_date, customer_name, shipping_address } = head
  return {
    ...(assembly_date === before.assembly_date ? {} : { assembly_date }),
    ...(customer_name === before.customer_name ? {} : { customer_name: customer_name || null }),
    ...(shipping_address === before.shipping_address ? {} : { shipping_address: shipping_address || null }),
  }
}
