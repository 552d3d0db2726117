-- What of an order was packed, and went out together.
create table shipments (
  tenant_id bigint not null,
  id bigint generated always as identity,
  reference text,
  -- SHA-256 of what the first call sent: as it was sent, and with products and the order as the records that they name.
  sent_hash bytea not null,
  content_hash bytea not null,
  order_id bigint not null,
  order_tenant_id text not null,
  warehouse_id bigint not null,
  state text not null default 'open' check (state in ('open', 'shipped', 'delivered', 'cancelled')),
  -- The sum of its lines, and their number.
  total_quantity numeric not null default 0,
  line_count integer not null default 0,
  created_by text not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  -- These and `created_at` are the times of all changes of state. What was cancelled was shipped before if it has `shipped_at`, else open.
  shipped_at timestamptz,
  delivered_at timestamptz,
  cancelled_at timestamptz,
  cancellation_reason text,
  primary key (tenant_id, id),
  unique (tenant_id, reference)
) with (fillfactor = 80);
create index shipments_of_order on shipments (tenant_id, order_id);
-- There can be as many as orders, so the list is read in its order, and counted in an index.
create index shipments_by_time on shipments (tenant_id, created_at, id) include (state);

create table shipment_packages (
  tenant_id bigint not null,
  record_id bigint not null,
  -- From 1, in the order of the call that packed them.
  number integer not null,
  weight double precision,
  width double precision,
  height double precision,
  depth double precision,
  carrier text,
  tracking_number text,
  tracking_url text,
  label_url text,
  primary key (tenant_id, record_id, number),
  foreign key (tenant_id, record_id) references shipments (tenant_id, id)
) with (fillfactor = 80);
create index shipment_packages_by_tracking on shipment_packages (tenant_id, tracking_number) where tracking_number is not null;

-- Written while the order is locked, and orders are never deleted: so there is no foreign key to their lines.
create table shipment_lines (
  tenant_id bigint not null,
  record_id bigint not null,
  package_number integer not null,
  id bigint generated always as identity,
  order_line_id bigint not null,
  product_id bigint not null,
  quantity numeric(15, 3) not null check (quantity > 0),
  primary key (tenant_id, record_id, package_number, id),
  foreign key (tenant_id, record_id, package_number) references shipment_packages (tenant_id, record_id, number)
) with (fillfactor = 80);

-- Whether the order ever had a shipment; null for no. Reads of orders look for shipments only then.
alter table orders add column has_shipments boolean;
