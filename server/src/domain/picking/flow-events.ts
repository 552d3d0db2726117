import { flowCancelled, flowCompleted, flowStarted } from './flow-topics.ts'
import { eventData } from '../events/index.ts'
import { minutesBetween } from '../order-states/index.ts'

// SQL for the `data` of picking flow events. `flow` and `order` are aliases of rows.

/** Data of `flow/started`. */
export function flowStartedData(flow: string, order: string): string {
  return eventData(flowStarted, {
    ...identity(flow, order),
    items_to_pick: `${flow}.items_to_pick`,
    total_quantity: `${flow}.total_quantity::float8`,
    started_at: `${flow}.started_at`,
  })
}

/** Data of `flow/completed`. */
export function flowCompletedData(flow: string, order: string): string {
  return eventData(flowCompleted, {
    ...identity(flow, order),
    items_picked: `${flow}.items_picked`,
    total_quantity_picked: `${flow}.total_quantity_picked::float8`,
    started_at: `${flow}.started_at`,
    completed_at: `${flow}.completed_at`,
    duration_minutes: minutesBetween(`${flow}.started_at`, `${flow}.completed_at`),
  })
}

/** Data of `flow/cancelled`. */
export function flowCancelledData(flow: string, order: string): string {
  return eventData(flowCancelled, {
    ...identity(flow, order),
    cancellation_reason: `${flow}.cancellation_reason`,
    items_picked_before_cancel: `${flow}.items_picked`,
    started_at: `${flow}.started_at`,
    cancelled_at: `${flow}.cancelled_at`,
  })
}

const identity = (flow: string, order: string) => ({
  flow_id: `${flow}.id`,
  order_id: `${flow}.order_id`,
  order_tenant_id: `${order}.order_tenant_id`,
  warehouse_id: `${order}.warehouse_id`,
  operator_id: `${flow}.operator_id`,
  operator_email: `${flow}.operator_email`,
})
