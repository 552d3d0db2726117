-- tenant_id leads every key of every table that holds a tenant's data, so that the schema can be sharded by tenant unchanged.
-- tenants and api_keys are the exceptions: they are read before the tenant is known, and are copied to every shard.

create table tenants (
  id bigint generated always as identity primary key,
  name text not null,
  -- A sandbox is a tenant of its own, so that live and test data are separated by the one rule that separates tenants.
  sandbox_of bigint unique references tenants (id),
  created_at timestamptz not null default now()
);

create table api_keys (
  tenant_id bigint not null references tenants (id),
  id bigint generated always as identity,
  name text not null,
  key_hash bytea not null unique,
  prefix text not null,
  scopes text[] not null,
  ip_whitelist text[] not null default '{}',
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (tenant_id, id)
);

create table warehouses (
  tenant_id bigint not null references tenants (id),
  id bigint generated always as identity,
  name text not null,
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
create unique index warehouses_one_default on warehouses (tenant_id) where is_default;

create table locations (
  tenant_id bigint not null,
  id text not null,
  code text not null,
  name text,
  warehouse_id bigint not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint locations_warehouse_key unique (tenant_id, id, warehouse_id),
  foreign key (tenant_id, warehouse_id) references warehouses (tenant_id, id)
);

create table products (
  tenant_id bigint not null references tenants (id),
  id bigint generated always as identity,
  barcode text not null,
  external_id text,
  name text not null,
  description text,
  category text,
  -- Prices and measures are never computed with: double precision gives back exactly the number that was sent.
  price double precision,
  cost double precision,
  weight double precision,
  width double precision,
  height double precision,
  depth double precision,
  sales_unit bigint not null default 1,
  weighable boolean not null default false,
  photo_url text,
  minimum_threshold numeric(15, 3),
  reorder_quantity numeric(15, 3),
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint products_barcode_key unique (tenant_id, barcode),
  constraint products_external_id_key unique (tenant_id, external_id)
);
create index products_newest on products (tenant_id, is_active, created_at desc, id desc);

create table stock_levels (
  tenant_id bigint not null,
  product_id bigint not null,
  location_id text not null,
  -- The location's warehouse, kept here so that a level and its warehouse's total can never disagree about where it counts.
  warehouse_id bigint not null,
  quantity numeric(15, 3) not null,
  -- What quantity was before the latest change: lets an upsert report the value that it replaced, even one that it waited for.
  previous_quantity numeric(15, 3) not null default 0,
  updated_at timestamptz not null default now(),
  primary key (tenant_id, product_id, location_id),
  constraint stock_levels_quantity_range check (quantity between 0 and 999999999999),
  foreign key (tenant_id, product_id) references products (tenant_id, id),
  constraint stock_levels_location_fkey foreign key (tenant_id, location_id, warehouse_id)
    references locations (tenant_id, id, warehouse_id) on update cascade
) with (fillfactor = 80);
create index stock_levels_by_location on stock_levels (tenant_id, location_id);

-- The sum of a product's levels in a warehouse. Changed in the statement that changes a level: its row lock makes the crossing of
-- minimum_threshold exact, however many locations change at once.
create table warehouse_stock (
  tenant_id bigint not null,
  product_id bigint not null,
  warehouse_id bigint not null,
  quantity numeric(20, 3) not null,
  previous_quantity numeric(20, 3) not null default 0,
  primary key (tenant_id, product_id, warehouse_id),
  foreign key (tenant_id, product_id) references products (tenant_id, id),
  foreign key (tenant_id, warehouse_id) references warehouses (tenant_id, id)
) with (fillfactor = 80);

create table orders (
  tenant_id bigint not null,
  id bigint generated always as identity,
  order_tenant_id text not null,
  state_id smallint not null default 1 check (state_id in (1, 2, 3, 5, 7)),
  state_picking_id smallint check (state_picking_id in (1, 2, 3)),
  assembly_date date not null,
  customer_name text,
  shipping_address text,
  warehouse_id bigint not null,
  items_count integer not null,
  total_quantity bigint not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint orders_order_tenant_id_key unique (tenant_id, order_tenant_id),
  foreign key (tenant_id, warehouse_id) references warehouses (tenant_id, id)
) with (fillfactor = 90);
-- The list merges the states that it shows, so that every filter is read in the order of the list from one of these.
create index orders_by_state on orders (tenant_id, state_id, created_at desc, id desc);
create index orders_by_assembly_date on orders (tenant_id, assembly_date, state_id, created_at desc, id desc);

create table order_lines (
  tenant_id bigint not null,
  order_id bigint not null,
  id bigint generated always as identity,
  product_id bigint not null,
  barcode text not null,
  product_name text not null,
  quantity integer not null check (quantity between 1 and 1000000),
  picked_quantity numeric(15, 3) not null default 0,
  price double precision,
  primary key (tenant_id, order_id, id),
  constraint order_lines_never_over_picked check (picked_quantity between 0 and quantity),
  foreign key (tenant_id, order_id) references orders (tenant_id, id),
  foreign key (tenant_id, product_id) references products (tenant_id, id)
) with (fillfactor = 90);

create table stock_movements (
  tenant_id bigint not null,
  id bigint generated always as identity,
  product_id bigint not null,
  location_id text not null,
  movement_type text not null check (movement_type in ('IN', 'OUT', 'TRANSFER', 'ADJUSTMENT')),
  quantity numeric(15, 3) not null,
  previous_quantity numeric(15, 3) not null,
  new_quantity numeric(15, 3) not null,
  reason text,
  user_id bigint,
  order_id bigint,
  -- The time of the insert, after any wait for the level's row lock: a level's movements are in the order in which they happened.
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id),
  -- To the level, which has a product and a location: one check instead of two, and on no row that all writers of a location share.
  foreign key (tenant_id, product_id, location_id) references stock_levels (tenant_id, product_id, location_id)
);
create index stock_movements_newest on stock_movements (tenant_id, created_at desc, id desc);
create index stock_movements_by_product on stock_movements (tenant_id, product_id, created_at desc, id desc);
create index stock_movements_by_location on stock_movements (tenant_id, location_id, created_at desc, id desc);
create index stock_movements_by_order on stock_movements (tenant_id, order_id) where order_id is not null;

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;
create trigger stock_movements_append_only before update or delete or truncate on stock_movements
  for each statement execute function refuse_change();

-- Exact totals of lists at a cost that does not grow with the tenant: a write appends what it changed to *_count_changes (no row
-- that two writers share), a background task folds those rows into the rollups, a list adds up rollup and changes in one snapshot.
create table order_count_changes (
  tenant_id bigint not null,
  created_day date not null,
  assembly_date date not null,
  state_id smallint not null,
  change integer not null
);
create index order_count_changes_by_tenant on order_count_changes (tenant_id);
create table order_totals (
  tenant_id bigint not null,
  state_id smallint not null,
  count bigint not null,
  primary key (tenant_id, state_id)
) with (fillfactor = 80);
create table order_counts (
  tenant_id bigint not null,
  created_day date not null,
  state_id smallint not null,
  count bigint not null,
  primary key (tenant_id, created_day, state_id)
) with (fillfactor = 80);
create table order_month_counts (
  tenant_id bigint not null,
  created_month date not null,
  state_id smallint not null,
  count bigint not null,
  primary key (tenant_id, created_month, state_id)
) with (fillfactor = 80);
create table order_assembly_counts (
  tenant_id bigint not null,
  assembly_date date not null,
  created_day date not null,
  state_id smallint not null,
  count bigint not null,
  primary key (tenant_id, assembly_date, created_day, state_id)
) with (fillfactor = 80);

create table movement_count_changes (
  tenant_id bigint not null,
  created_day date not null,
  product_id bigint not null,
  location_id text not null,
  movement_type text not null,
  change integer not null
);
create index movement_count_changes_by_tenant on movement_count_changes (tenant_id);
create table movement_counts (
  tenant_id bigint not null,
  created_day date not null,
  movement_type text not null,
  count bigint not null,
  primary key (tenant_id, created_day, movement_type)
) with (fillfactor = 80);
create table movement_month_counts (
  tenant_id bigint not null,
  created_month date not null,
  movement_type text not null,
  count bigint not null,
  primary key (tenant_id, created_month, movement_type)
) with (fillfactor = 80);
create table movement_product_counts (
  tenant_id bigint not null,
  product_id bigint not null,
  location_id text not null,
  created_day date not null,
  movement_type text not null,
  count bigint not null,
  primary key (tenant_id, product_id, location_id, created_day, movement_type)
) with (fillfactor = 80);
create table movement_product_month_counts (
  tenant_id bigint not null,
  product_id bigint not null,
  location_id text not null,
  created_month date not null,
  movement_type text not null,
  count bigint not null,
  primary key (tenant_id, product_id, location_id, created_month, movement_type)
) with (fillfactor = 80);
create table movement_location_counts (
  tenant_id bigint not null,
  location_id text not null,
  created_day date not null,
  movement_type text not null,
  count bigint not null,
  primary key (tenant_id, location_id, created_day, movement_type)
) with (fillfactor = 80);
create table movement_location_month_counts (
  tenant_id bigint not null,
  location_id text not null,
  created_month date not null,
  movement_type text not null,
  count bigint not null,
  primary key (tenant_id, location_id, created_month, movement_type)
) with (fillfactor = 80);

create table picking_flows (
  tenant_id bigint not null,
  id bigint generated always as identity,
  order_id bigint not null,
  state text not null default 'started' check (state in ('started', 'completed', 'cancelled')),
  operator_id bigint,
  operator_email text not null,
  items_to_pick integer not null,
  total_quantity numeric(15, 3) not null,
  items_picked integer not null default 0,
  total_quantity_picked numeric(15, 3) not null default 0,
  started_at timestamptz not null default clock_timestamp(),
  completed_at timestamptz,
  cancelled_at timestamptz,
  cancellation_reason text,
  primary key (tenant_id, id),
  foreign key (tenant_id, order_id) references orders (tenant_id, id)
);
create unique index picking_flows_one_running on picking_flows (tenant_id, order_id) where state = 'started';
create index picking_flows_by_order on picking_flows (tenant_id, order_id, id);

-- The feed of everything that happened, kept 30 days. id is 'evt_', the transaction's id and a sequence number, both as 12 hex digits:
-- its order is one in which a reader that stays below the oldest running transaction can never be overtaken by a late commit.
create sequence event_sequence;
create table events (
  tenant_id bigint not null,
  id text collate "C" not null,
  topic text not null,
  -- The exact text that subscribers get, so that every attempt signs and sends the same bytes.
  body text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id, created_at)
) partition by range (created_at);
create table events_default partition of events default;

-- Events that at least one subscription waits for, until the fan-out has turned them into deliveries.
create table event_outbox (
  tenant_id bigint not null,
  event_id text collate "C" not null,
  event_created_at timestamptz not null,
  topic text not null,
  primary key (tenant_id, event_id)
);

create table webhook_subscriptions (
  tenant_id bigint not null references tenants (id),
  id bigint generated always as identity,
  name text not null,
  url text not null,
  events text[] not null,
  secret_ciphertext bytea not null,
  previous_secret_ciphertext bytea,
  previous_secret_expires_at timestamptz,
  active boolean not null default true,
  disabled_reason text,
  disabled_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id)
);

create table idempotency_keys (
  tenant_id bigint not null,
  key text not null,
  request_hash bytea not null,
  -- Encrypted: an answer may hold a signing secret or an API key.
  answer_ciphertext bytea not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
