-- Attempts to deliver webhooks, by hour and subscription. Kept for 90 days.
create table delivery_hours (
  tenant_id bigint not null,
  at timestamptz not null,
  subscription_id bigint not null,
  succeeded bigint not null,
  failed bigint not null,
  -- Attempts by duration: see delivery/delivery-hours.ts.
  durations integer[] not null,
  primary key (tenant_id, at, subscription_id)
) with (fillfactor = 80);
