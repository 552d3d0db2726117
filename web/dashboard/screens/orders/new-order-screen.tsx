import { FulfillmentError, type NewOrder } from '@fulfillment/sdk'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { localToday } from '../../../shared/local-today.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useWrite } from '../../data/use-write.ts'
import { FormButtons } from '../../kit/form-buttons.tsx'
import { Form } from '../../kit/form.tsx'
import { Screen } from '../../kit/screen.tsx'
import { numberOf } from '../../kit/number-input.ts'
import { useTyped } from '../../kit/use-typed.ts'
import { type OrderHead, OrderHeadInput } from './order-head-input.tsx'
import { LinesInput, type NewLine } from '../../kit/lines-input.tsx'

/** Creates an order. */
export function NewOrderScreen() {
  const navigate = useNavigate()
  const [head, bind] = useTyped(newHead)
  const [lines, setLines] = useState<readonly NewLine[]>([])
  const order = orderOf(head, lines)
  const write = useWrite({
    write: async (api, input: NewOrder, options) => {
      const { orders } = await api.orders.create(input, options)
      const [created] = orders
      if (created === undefined) throw new FulfillmentError(t.orders.exists(input.order_tenant_id))
      return created
    },
    done: ({ order_tenant_id }) => t.orders.created1(order_tenant_id),
    onDone: ({ id }) => void navigate({ to: '/orders/$id', params: { id: String(id) } }),
  })
  return (
    <Screen title={t.orders.new} hasCurl={false}>
      <Form
        {...write}
        label={t.orders.new}
        typed={order}
        buttons={
          <FormButtons
            submit={t.orders.create}
            scope="write:orders"
            isSaving={write.isSaving}
            call={(api) => api.orders.create(order)}
          />
        }
        onSubmit={() => void write.send(order)}
      >
        <OrderHeadInput bind={bind} isNew />
        <LinesInput lines={lines} onChange={setLines} onRemoved={write.forget} name="order_detail" />
      </Form>
    </Screen>
  )
}

type NewHead = OrderHead & { order_tenant_id: string }

const newHead = (): NewHead => ({
  order_tenant_id: '',
  assembly_date: localToday(),
  customer_name: '',
  shipping_address: '',
})

function orderOf(
  { order_tenant_id, assembly_date, customer_name, shipping_address }: NewHead,
  lines: readonly NewLine[],
): NewOrder {
  return {
    order_tenant_id,
    assembly_date,
    ...(customer_name === '' ? {} : { customer_name }),
    ...(shipping_address === '' ? {} : { shipping_address }),
    order_detail: lines.map(({ product, quantity }) => ({ barcode: product.barcode, quantity: numberOf(quantity) })),
  }
}
