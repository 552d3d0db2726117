-- What the delivery workers know and change about a subscription all the time. Apart from the subscription itself, so that the table
-- which every write looks into stays as good as still.
create table webhook_lanes (
  tenant_id bigint not null,
  subscription_id bigint not null,
  -- Nothing of the lane can be claimed before this; null when nothing waits. Whoever makes a delivery wait lowers it, and only a
  -- claim raises it: having locked the lane first, it then sees every delivery that was queued before.
  due_at timestamptz,
  claimed_at timestamptz not null default '-infinity',
  -- The worker process that has deliveries of the lane in flight, so that the cap holds for all processes together. It says every
  -- second that it lives; when it died, another one goes on with the lane.
  owner text,
  owner_until timestamptz,
  -- How many requests may be in flight at once.
  cap smallint not null default 10,
  -- The receiver asked for a pause (Retry-After), or fails so often that it gets one.
  held_until timestamptz,
  failing_since timestamptz,
  failed_attempts integer not null default 0,
  primary key (tenant_id, subscription_id),
  foreign key (tenant_id, subscription_id) references webhook_subscriptions (tenant_id, id) on delete cascade
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index webhook_lanes_due on webhook_lanes (due_at) where due_at is not null;

-- A delivery is one event for one subscription. Those that are still to be sent are apart from those that are done: what is claimed,
-- and the index it is claimed by, stays small however long the history, and the history is dropped by the day.
create table waiting_deliveries (
  tenant_id bigint not null,
  subscription_id bigint not null,
  event_id text collate "C" not null,
  -- The event's: a delivery is kept as long as its event.
  event_created_at timestamptz not null,
  topic text not null,
  state text not null default 'pending' check (state in ('pending', 'in_flight')),
  -- What causes the next attempt.
  trigger text not null default 'schedule' check (trigger in ('schedule', 'manual', 'replay')),
  -- Attempts since the retry schedule was last begun.
  tries smallint not null default 0,
  -- pending: when it is due. in_flight: when the lease ends and it is due again, because the worker that took it must have died.
  next_attempt_at timestamptz not null,
  created_at timestamptz not null,
  attempts jsonb not null default '[]',
  primary key (tenant_id, subscription_id, event_created_at, event_id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index waiting_deliveries_due on waiting_deliveries (tenant_id, subscription_id, next_attempt_at, event_id);

create table finished_deliveries (
  tenant_id bigint not null,
  subscription_id bigint not null,
  event_id text collate "C" not null,
  event_created_at timestamptz not null,
  topic text not null,
  state text not null check (state in ('succeeded', 'failed', 'skipped')),
  created_at timestamptz not null,
  completed_at timestamptz not null,
  attempts jsonb not null default '[]',
  primary key (tenant_id, subscription_id, event_created_at, event_id)
) partition by range (event_created_at);
create table finished_deliveries_default partition of finished_deliveries default;
create index finished_deliveries_unsent on finished_deliveries (tenant_id, subscription_id, state, event_created_at, event_id)
  where state in ('failed', 'skipped');

create view webhook_deliveries as
  select tenant_id, subscription_id, event_id, event_created_at, topic, state, next_attempt_at, created_at, null::timestamptz as completed_at, attempts
  from waiting_deliveries
  union all
  select tenant_id, subscription_id, event_id, event_created_at, topic, state, null::timestamptz, created_at, completed_at, attempts
  from finished_deliveries;
