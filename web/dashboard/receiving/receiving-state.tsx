import { t } from '../../shared/texts/texts.ts'
import { Badge } from '../kit/badge.tsx'
import { OptionFilter } from '../kit/option-filter.tsx'

export const RECEIVING_STATES = ['expected', 'receiving', 'closed', 'cancelled'] as const
export type ReceivingStateName = (typeof RECEIVING_STATES)[number]

const KINDS = { expected: 'state1', receiving: 'state3', closed: 'state5', cancelled: 'state7' } as const

/** The state of a delivery or return, in the words of the filter. */
export function ReceivingState({ state }: { state: ReceivingStateName }) {
  return <Badge kind={KINDS[state]}>{t.receiving.states[state]}</Badge>
}

interface FilterProps {
  value: ReceivingStateName | undefined
  onFilter: (state: ReceivingStateName | undefined) => void
}

/** A filter by the state of deliveries or returns. */
export function ReceivingStateFilter(props: FilterProps) {
  return (
    <OptionFilter
      {...props}
      label={t.orders.state}
      any={t.receiving.anyState}
      values={RECEIVING_STATES}
      labelOf={(state) => t.receiving.states[state]}
    />
  )
}
