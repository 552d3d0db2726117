-- Events that could not be turned into deliveries. They leave the outbox so that nothing waits behind them, and are put back once an hour.
create table outbox_set_aside (
  tenant_id bigint not null,
  event_id text collate "C" not null,
  event_created_at timestamptz not null,
  topic text not null,
  -- What Postgres said.
  error text not null,
  set_aside_at timestamptz not null default now(),
  primary key (tenant_id, event_id)
);

-- An event for thousands of subscriptions is fanned out in parts: those up to this id have their delivery.
alter table event_outbox add column fanned_out_to bigint not null default 0;
-- The events that are done leave dead index entries before those that wait.
alter table event_outbox set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Finds the tenants that have something due without reading every lane of each of them. The table has one row for each subscription: the index
-- is made in a moment.
-- squawk-ignore require-concurrent-index-creation
create index webhook_lanes_due_by_tenant on webhook_lanes (tenant_id, due_at) where due_at is not null;

-- Deleted subscriptions whose waiting deliveries are still to be deleted, some at a time.
create table deleted_subscriptions (
  tenant_id bigint not null,
  subscription_id bigint not null,
  deleted_at timestamptz not null default now(),
  primary key (tenant_id, subscription_id)
);

-- Secrets from before webhook_subscriptions.previous_secret_ciphertext that still sign.
create table webhook_former_secrets (
  tenant_id bigint not null,
  subscription_id bigint not null,
  id bigint generated always as identity,
  secret_ciphertext bytea not null,
  expires_at timestamptz not null,
  primary key (tenant_id, subscription_id, id),
  foreign key (tenant_id, subscription_id) references webhook_subscriptions (tenant_id, id) on delete cascade
);
