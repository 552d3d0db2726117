/**
 * SQL for an array of the ids of a tenant and its sandbox. `id` is either of them. The array: a join would read the rows of all tenants by a
 * plan made on an empty table.
 */
export function tenantAndSandbox(id: string): string {
  return `array(select id from tenants where id = ${ownerOf(id)} or sandbox_of = ${ownerOf(id)})`
}

/** SQL for the id of the tenant itself, also for its sandbox. */
export function ownerOf(id: string): string {
  return `(select coalesce(sandbox_of, id) from tenants where id = ${id})`
}
