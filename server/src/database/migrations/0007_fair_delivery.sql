-- Events that could not be turned into deliveries. They leave the outbox so that later events proceed, and return to it after an hour.
create table outbox_set_aside (
  tenant_id bigint not null,
  event_id text collate "C" not null,
  event_created_at timestamptz not null,
  topic text not null,
  -- The error of Postgres.
  error text not null,
  set_aside_at timestamptz not null default now(),
  primary key (tenant_id, event_id)
);

-- An event for thousands of subscriptions is fanned out in parts. Subscriptions up to this id have their delivery.
alter table event_outbox add column fanned_out_to bigint not null default 0;
-- Finished events leave dead index entries before the waiting ones.
alter table event_outbox set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Finds the tenants with due deliveries without reading every lane of each. The table has one row per subscription, so the index is built
-- quickly.
-- squawk-ignore require-concurrent-index-creation
create index webhook_lanes_due_by_tenant on webhook_lanes (tenant_id, due_at) where due_at is not null;

-- Deleted subscriptions whose pending deliveries are not deleted yet. They are deleted in batches.
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
