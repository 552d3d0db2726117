/** SQL for the fields of a picking flow as the API shows it. `flow` and `order` are aliases of rows. */
export function flowColumns(flow: string, order: string): string {
  return `${flow}.id, ${flow}.order_id, ${order}.order_tenant_id, ${order}.warehouse_id, ${flow}.state, ${flow}.operator_id,
     ${flow}.operator_email, ${flow}.items_to_pick, ${flow}.total_quantity, ${flow}.items_picked, ${flow}.total_quantity_picked,
     ${flow}.started_at, ${flow}.completed_at, ${flow}.cancelled_at, ${flow}.cancellation_reason`
}
