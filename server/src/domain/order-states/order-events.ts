import { orderCancelled, orderCompleted, orderUpdated } from './order-topics.ts'
import { eventData } from '../events/index.ts'
import { orderStateName } from './order-states.ts'

// SQL for the `data` of order events. `row` is the alias of a row of `changed_order`.

/** Data of `order/updated`. `updatedFields` is SQL for an array of names. */
export function orderUpdatedData(row: string, updatedFields: string): string {
  return eventData(orderUpdated, {
    ...identityAndState(row),
    ...previousState(row),
    warehouse_id: `${row}.warehouse_id`,
    updated_fields: updatedFields,
    updated_at: `${row}.updated_at`,
  })
}

/** Data of `order/cancelled`. `reason` and `cancelledBy` are SQL. */
export function orderCancelledData(row: string, by: { reason: string; cancelledBy: string }): string {
  return eventData(orderCancelled, {
    ...identityAndState(row),
    ...previousState(row),
    cancellation_reason: by.reason,
    cancelled_by: by.cancelledBy,
    cancelled_at: `${row}.updated_at`,
  })
}

/**
 * Data of `order/completed`. `pickedBy` and `startedAt` are SQL. Picked quantities are read from the order's lines: lock the order before
 * this statement, or a pick that just committed may be missing.
 */
export function orderCompletedData(row: string, by: { pickedBy: string; startedAt: string }): string {
  const lines = `from order_lines l where l.tenant_id = $1 and l.order_id = ${row}.id`
  return eventData(orderCompleted, {
    ...identityAndState(row),
    warehouse_id: `${row}.warehouse_id`,
    items_picked: `select count(*) ${lines} and l.picked_quantity > 0`,
    total_quantity_picked: `select coalesce(sum(l.picked_quantity), 0)::float8 ${lines}`,
    picked_by: by.pickedBy,
    started_at: by.startedAt,
    completed_at: `${row}.updated_at`,
    duration_minutes: minutesBetween(by.startedAt, `${row}.updated_at`),
  })
}

/** SQL for the minutes between two timestamps, with at most two decimals, as in events. */
export function minutesBetween(from: string, to: string): string {
  return `round(extract(epoch from (${to}) - (${from})) / 60, 2)::float8`
}

const identityAndState = (row: string) => ({
  order_id: `${row}.id`,
  order_tenant_id: `${row}.order_tenant_id`,
  state_id: `${row}.state_id`,
  state_name: orderStateName(`${row}.state_id`),
})

const previousState = (row: string) => ({
  previous_state_id: `${row}.previous_state_id`,
  previous_state_name: orderStateName(`${row}.previous_state_id`),
})
