import type { PickingFlow } from './schemas.ts'

/** A flow as statements return it: `batch_id` and `slot` are null when it is in no batch. */
export type FlowRow = Omit<PickingFlow, 'batch_id' | 'slot'> & { batch_id: number | null; slot: number | null }

/** SQL for the fields of a picking flow as the API shows it. `flow` and `order` are aliases of rows. */
export function flowColumns(flow: string, order: string): string {
  return `${flow}.id, ${flow}.order_id, ${order}.order_tenant_id, ${order}.warehouse_id, ${flow}.state, ${flow}.operator_id,
     ${flow}.operator_email, ${flow}.items_to_pick, ${flow}.total_quantity, ${flow}.items_picked, ${flow}.total_quantity_picked,
     ${flow}.started_at, ${flow}.completed_at, ${flow}.cancelled_at, ${flow}.cancellation_reason, ${flow}.batch_id, ${flow}.slot`
}

/** The flow as the API shows it: without `batch_id` and `slot` when it is in no batch. */
export function shownFlow<Row extends FlowRow>({ batch_id: batchId, slot, ...flow }: Row) {
  return batchId === null || slot === null ? flow : { ...flow, batch_id: batchId, slot }
}
