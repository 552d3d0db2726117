/** A device's session ends when it is unused for this long, and after `DEVICE_MAX_DAYS` in any case. */
export const DEVICE_IDLE_DAYS = 30
export const DEVICE_MAX_DAYS = 180

/** An operator is signed out after an hour without use. The last use is written at most once a minute. */
export const OPERATOR_IDLE = `interval '61 minutes'`

/** SQL for the tenant or sandbox whose data a session uses. A live key's device can be of the sandbox. */
export const DATA_TENANT = `case when s.mode = 'test' then coalesce((select id from tenants where sandbox_of = s.tenant_id), s.tenant_id) else s.tenant_id end`
