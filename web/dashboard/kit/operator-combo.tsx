import { useScope } from '../data/session.tsx'
import { useRead } from '../data/use-read.ts'
import { t } from '../../shared/texts/texts.ts'
import { Combo } from './combo.tsx'

const LIMIT = 100

/** Who is to pick. The id is that of an operator of the list. */
export interface ChosenOperator {
  operator_email: string
  operator_id?: number
}

export interface OperatorComboProps {
  chosen: ChosenOperator
  onOperator: (operator: ChosenOperator) => void
}

/** A field for an operator. The first hundred are offered to keys that can read them; any e-mail address can be typed. */
export function OperatorCombo({ chosen, onOperator }: OperatorComboProps) {
  const canRead = useScope('admin')
  const { data } = useRead(['operators', 'combo'], (api, options) => api.operators.list({ limit: LIMIT }, options), {
    enabled: canRead,
  })
  const active = data?.operators.filter(({ is_active }) => is_active) ?? []
  const choose = (text: string): void => {
    const wanted = text.toLowerCase()
    const found = active.find(({ id, name, email }) => [String(id), name.toLowerCase(), email.toLowerCase()].includes(wanted))
    onOperator(found === undefined ? { operator_email: text } : { operator_email: found.email, operator_id: found.id })
  }
  return (
    <Combo
      label={t.picking.operator}
      name="operator_email"
      hint={t.picking.assignHint}
      isRequired
      autoFocus
      value={active.find(({ id }) => id === chosen.operator_id)?.name ?? chosen.operator_email}
      options={active.map(({ id, name, email }) => ({ id: String(id), label: name, note: email }))}
      onChoose={({ id }) => choose(id)}
      onText={choose}
    />
  )
}
