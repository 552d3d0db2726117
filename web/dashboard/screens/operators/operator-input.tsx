import type { Operator } from '@fulfillment/sdk'
import { type ReactNode, useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { Checkbox } from '../../kit/choices.tsx'
import { Field } from '../../kit/field.tsx'
import { useTyped } from '../../kit/use-typed.ts'

/** What is typed of an operator. */
export type TypedOperator = Pick<Operator, 'name' | 'email' | 'may_change_stock'>

const NEW: TypedOperator = { name: '', email: '', may_change_stock: false }

/** The fields of an operator, and what is in them. */
export function useOperatorInput({ name, email, may_change_stock }: TypedOperator = NEW): [TypedOperator, ReactNode] {
  const [typed, bind] = useTyped({ name, email })
  const [mayChange, setMayChange] = useState(may_change_stock)
  const fields = (
    <>
      <Field label={t.operators.name} isRequired maxLength={255} autoFocus {...bind('name')} />
      <Field label={t.operators.email} isRequired type="email" maxLength={255} hint={t.operators.emailHint} {...bind('email')} />
      <Checkbox label={t.operators.mayChangeStock} isSelected={mayChange} onChange={setMayChange} />
    </>
  )
  return [{ ...typed, may_change_stock: mayChange }, fields]
}

/** The field that an e-mail address of another operator is refused for. */
export const OPERATOR_CODES = { already_exists: () => 'email' }
