import { t } from '../../../shared/texts/texts.ts'
import { Badge } from '../../kit/badge.tsx'
import type { CountState as State } from './counts-search.ts'

const KINDS = { counting: 'state3', review: 'state2', approved: 'state5', cancelled: 'state7' } as const

/** The state of a count, in the words of the filter. */
export function CountState({ state }: { state: State }) {
  return <Badge kind={KINDS[state]}>{t.counts.states[state]}</Badge>
}
