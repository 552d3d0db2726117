-- What the timeline of an order is read from, besides the records themselves. Each table is read in the order of its primary key.

-- Changes of an order's state after its creation. Written while the order is locked, so the ids of an order are in the order of the changes.
create table order_state_changes (
  tenant_id bigint not null,
  order_id bigint not null,
  id bigint generated always as identity,
  at timestamptz not null,
  state_id smallint not null,
  previous_state_id smallint not null,
  -- The name of the API key.
  changed_by text not null,
  -- Of a cancellation.
  reason text,
  primary key (tenant_id, order_id, id)
) with (autovacuum_vacuum_insert_threshold = -1);

-- The events whose data has an order's id. Kept as long as the events, which are found by the day alone and not by the order.
create table order_events (
  tenant_id bigint not null,
  order_id bigint not null,
  created_at timestamptz not null,
  event_id text collate "C" not null,
  topic text not null,
  -- Of reservation/updated, which the timeline shows.
  data text,
  primary key (tenant_id, order_id, created_at, event_id)
);
create index order_events_by_age on order_events (created_at);

-- The audited calls that name an order, or a record of one. Kept as long as the audit log, whose entries are found by the day alone.
create table order_calls (
  tenant_id bigint not null,
  -- 'order/4711', 'order_tenant_id/SO-10023', 'flow/12': see named-records.ts.
  name text collate "C" not null,
  at timestamptz not null,
  id uuid not null,
  operation text not null,
  key_name text not null,
  address text not null,
  request_id text not null,
  error text,
  primary key (tenant_id, name, at, id)
);
create index order_calls_by_age on order_calls (at);

-- The pick that a movement was made by, or by whose undo, or by the cancellation of its flow. Null for any other movement, and for those
-- of earlier versions.
alter table stock_movements add column flow_id bigint, add column pick_id text;
