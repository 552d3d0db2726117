/** SQL that reads the tenant's subscriptions, as responses show them. `$1` is the tenant. */
export const SELECT_SUBSCRIPTIONS = `
  select s.id::text as id, s.name, s.url, s.events, s.active, s.created_at, s.updated_at, s.disabled_reason, s.disabled_at, l.failing_since
  from webhook_subscriptions s join webhook_lanes l on l.tenant_id = s.tenant_id and l.subscription_id = s.id
  where s.tenant_id = $1`
