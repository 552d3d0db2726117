import type { FlowBatchShare, FlowBatchSummary } from '@fulfillment/sdk'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'

/** What a batch is called: its reference, or its number. */
export const nameOfBatch = ({ id, reference }: Pick<FlowBatchSummary, 'id' | 'reference'>): string =>
  reference ?? t.batches.number(id)

/** What each slot gets. */
export function Shares({ slots }: { slots: readonly FlowBatchShare[] }) {
  return slots.map(({ slot, quantity }) => t.batches.intoSlot(formatNumber(quantity), slot)).join(', ')
}
