import type { ConcurrentStep } from '../build-indexes.ts'

export const steps: ConcurrentStep[] = [
  // The flows of a batch, and whether one of them runs.
  {
    index: 'picking_flows_by_batch',
    table: 'picking_flows',
    definition: '(tenant_id, batch_id, state, slot) where batch_id is not null',
  },
]
