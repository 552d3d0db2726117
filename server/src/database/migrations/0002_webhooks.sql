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

-- One row for each event and subscription, kept as long as the event. event_created_at is the event's, so that both go with the same day.
create table webhook_deliveries (
  tenant_id bigint not null,
  subscription_id bigint not null,
  event_id text collate "C" not null,
  event_created_at timestamptz not null,
  topic text not null,
  state text not null check (state in ('pending', 'in_flight', 'succeeded', 'failed', 'skipped')),
  -- What causes the next attempt.
  trigger text not null default 'schedule' check (trigger in ('schedule', 'manual', 'replay', 'test')),
  -- Attempts since the retry schedule was last begun.
  tries smallint not null default 0,
  -- pending: when it is due. in_flight: when the lease ends and it is due again, because the worker that took it must have died.
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  completed_at timestamptz,
  attempts jsonb not null default '[]',
  primary key (tenant_id, subscription_id, event_created_at, event_id)
) partition by range (event_created_at);
create table webhook_deliveries_default partition of webhook_deliveries default;
-- Only what is still to be sent is in this index: claiming costs the same however long the log is.
create index webhook_deliveries_waiting on webhook_deliveries (tenant_id, subscription_id, next_attempt_at, event_id)
  where state in ('pending', 'in_flight');
create index webhook_deliveries_unsent on webhook_deliveries (tenant_id, subscription_id, state, event_created_at, event_id)
  where state in ('failed', 'skipped');
