import { t } from '../../../shared/texts/texts.ts'
import { Field } from '../../kit/field.tsx'
import form from '../../kit/form.module.css'
import type { Bind } from '../../kit/use-typed.ts'

/** What is typed about an order besides its lines. */
export interface OrderHead extends Record<string, string> {
  assembly_date: string
  customer_name: string
  shipping_address: string
}

interface Props {
  bind: Bind<'order_tenant_id' | 'assembly_date' | 'customer_name' | 'shipping_address'>
  /** The identifier cannot be changed later. */
  isNew?: boolean
}

/** The fields of an order besides its lines. */
export function OrderHeadInput({ bind, isNew = false }: Props) {
  return (
    <>
      <div className={form.row}>
        {isNew && <Field label={t.orders.identifier} isRequired maxLength={255} {...bind('order_tenant_id')} />}
        <Field label={t.orders.assemblyDate} type="date" size="narrow" isRequired autoFocus={!isNew} {...bind('assembly_date')} />
        <Field label={t.orders.customer} maxLength={255} {...bind('customer_name')} />
      </div>
      <Field label={t.orders.address} isMultiline maxLength={4000} size="wide" {...bind('shipping_address')} />
    </>
  )
}
