-- Changes of stock by hour, from which the reports count back from the present stock. The fold adds them up with the counts of movements.
-- Null in rows of servers of the previous version.
alter table movement_count_changes
  add column created_hour timestamptz,
  -- The sum of the changes.
  add column quantity numeric(20, 3);

create table movement_product_hours (
  tenant_id bigint not null,
  product_id bigint not null,
  at timestamptz not null,
  quantity numeric(20, 3) not null,
  primary key (tenant_id, product_id, at)
) with (fillfactor = 80);
create table movement_level_hours (
  tenant_id bigint not null,
  product_id bigint not null,
  location_id text not null,
  at timestamptz not null,
  quantity numeric(20, 3) not null,
  primary key (tenant_id, product_id, location_id, at)
) with (fillfactor = 80);

-- The number of movements of a day that are in the tables above. On a day with more movements than that (movement_counts), such as one before
-- this migration or one on which servers of the previous version folded counts, reports read the movements themselves.
create table movement_hour_days (
  tenant_id bigint not null,
  day date not null,
  count bigint not null,
  primary key (tenant_id, day)
) with (fillfactor = 80);

-- Who picked it, also if the flow has another operator now. Null before this migration: such a pick is in no report.
alter table picks add column operator_email text;

-- What was picked, by hour and operator, kept as the counts of lists are.
create table pick_changes (
  tenant_id bigint not null,
  at timestamptz not null,
  operator_email text not null,
  -- Picks and their quantity, negative for those that were undone or returned, in the hour of the pick.
  picks integer not null,
  units numeric(20, 3) not null,
  -- Completed flows and the seconds that they took, in the hour of their completion.
  flows integer not null,
  seconds numeric(20, 3) not null
);
create index pick_changes_by_tenant on pick_changes (tenant_id);
create table pick_hours (
  tenant_id bigint not null,
  at timestamptz not null,
  operator_email text not null,
  picks bigint not null,
  units numeric(20, 3) not null,
  flows bigint not null,
  seconds numeric(20, 3) not null,
  primary key (tenant_id, at, operator_email)
) with (fillfactor = 80);
create table pick_days (
  tenant_id bigint not null,
  day date not null,
  operator_email text not null,
  picks bigint not null,
  units numeric(20, 3) not null,
  flows bigint not null,
  seconds numeric(20, 3) not null,
  primary key (tenant_id, day, operator_email)
) with (fillfactor = 80);
