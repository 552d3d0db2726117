/** SQL for the fields of an operator as the API shows them. `row` is the alias of a row of operators. */
export function operatorColumns(row: string): string {
  return `${row}.id, ${row}.name, ${row}.email, ${row}.may_change_stock, ${row}.is_active, ${row}.badge_hash is not null as has_badge,
     (select max(d.last_active_at) from device_operators d where d.tenant_id = ${row}.tenant_id and d.operator_id = ${row}.id) as last_active_at,
     ${row}.created_at`
}
