import type { ConcurrentStep } from '../build-indexes.ts'

export const steps: ConcurrentStep[] = [
  // The queue of orders to pick, in its order.
  { index: 'orders_to_pick', table: 'orders', definition: '(tenant_id, assembly_date, id) where state_id in (1, 2)' },
  // The flows of an operator. The hash contains the tenant: a condition on tenant_id alone would let a plan read all flows of a large tenant.
  {
    index: 'picking_flows_by_operator',
    table: 'picking_flows',
    definition: '(hashtextextended(fold_case(operator_email), tenant_id), state, id)',
  },
]
