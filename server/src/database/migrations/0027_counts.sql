-- Counts of what lies at locations.
create table stock_counts (
  tenant_id bigint not null,
  id bigint generated always as identity,
  reference text,
  -- SHA-256 of what the first call sent: as it was sent, and with the default warehouse in place of none.
  sent_hash bytea not null,
  content_hash bytea not null,
  warehouse_id bigint not null,
  state text not null default 'counting' check (state in ('counting', 'review', 'approved', 'cancelled')),
  -- Whether those who count do not see what is expected.
  blind boolean not null,
  -- The scope: levels of these locations, of these products, or of both; null for any.
  location_ids text[],
  product_ids bigint[],
  note text,
  lines_total integer not null,
  lines_counted integer not null default 0,
  lines_different integer not null default 0,
  -- Counts the entries: a statement that waited for the row sees by it whether its snapshot is out of date.
  revision integer not null default 0,
  created_by text not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  approved_at timestamptz,
  cancelled_at timestamptz,
  cancellation_reason text,
  primary key (tenant_id, id),
  unique (tenant_id, reference),
  foreign key (tenant_id, warehouse_id) references warehouses (tenant_id, id)
) with (fillfactor = 80);

-- A level that is to be counted, and the latest entry about it.
create table stock_count_lines (
  tenant_id bigint not null,
  record_id bigint not null,
  id bigint generated always as identity,
  product_id bigint not null,
  location_id text not null,
  -- Null until it is counted, like what follows.
  counted numeric(15, 3) check (counted >= 0),
  -- The level at that moment.
  expected numeric(15, 3),
  counted_at timestamptz,
  -- A number that was taken for no movement while the level was locked: later movements of the level have greater ones.
  counted_before bigint,
  operator_id bigint,
  -- What approval wrote.
  movement_id bigint,
  primary key (tenant_id, record_id, id),
  unique (tenant_id, record_id, product_id, location_id),
  foreign key (tenant_id, record_id) references stock_counts (tenant_id, id)
) with (fillfactor = 80);

-- Written while the count is locked, and counts are never deleted: so there is no foreign key, which would cost each entry a look-up.
create table stock_count_entries (
  tenant_id bigint not null,
  record_id bigint not null,
  -- Chosen by the client, so that an entry can be sent again; else generated.
  id text not null,
  line_id bigint not null,
  product_id bigint not null,
  location_id text not null,
  counted numeric(15, 3) not null,
  expected numeric(15, 3) not null,
  -- What named the product: the same name is the same content, also when the product has got another one since.
  sent_name text not null,
  operator_id bigint,
  created_at timestamptz not null,
  primary key (tenant_id, record_id, id)
);
