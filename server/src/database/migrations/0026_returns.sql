-- Goods that come back.
create table returns (
  tenant_id bigint not null,
  id bigint generated always as identity,
  reference text,
  -- SHA-256 of what the first call sent: as it was sent, and with products as the records that they name.
  sent_hash bytea not null,
  content_hash bytea not null,
  warehouse_id bigint not null,
  state text not null default 'expected' check (state in ('expected', 'receiving', 'closed', 'cancelled')),
  expected_at date,
  -- The order that they come back from; null for none.
  order_id bigint,
  order_tenant_id text,
  reason text,
  note text,
  -- Whether more than announced may be received.
  allow_over boolean not null,
  total_quantity numeric not null,
  total_received numeric not null default 0,
  line_count integer not null,
  -- Counts receipts and undone receipts: a statement that waited for the row sees by it whether its snapshot is out of date.
  revision integer not null default 0,
  created_by text not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  closed_at timestamptz,
  cancelled_at timestamptz,
  cancellation_reason text,
  primary key (tenant_id, id),
  unique (tenant_id, reference),
  foreign key (tenant_id, warehouse_id) references warehouses (tenant_id, id)
) with (fillfactor = 80);
create index returns_of_order on returns (tenant_id, order_id) where order_id is not null;

create table return_lines (
  tenant_id bigint not null,
  record_id bigint not null,
  id bigint generated always as identity,
  product_id bigint not null,
  -- 0 for a product that came unannounced.
  quantity numeric(15, 3) not null check (quantity >= 0),
  received numeric not null default 0 check (received >= 0),
  reason text,
  -- What became of what was received.
  restocked numeric not null default 0,
  quarantined numeric not null default 0,
  scrapped numeric not null default 0,
  primary key (tenant_id, record_id, id),
  foreign key (tenant_id, record_id) references returns (tenant_id, id),
  foreign key (tenant_id, product_id) references products (tenant_id, id)
) with (fillfactor = 80);

-- Written while the return is locked, and returns are never deleted: so there is no foreign key, which would cost each receipt a look-up.
create table return_receipts (
  tenant_id bigint not null,
  record_id bigint not null,
  -- Chosen by the client, so that a receipt can be sent again; else generated.
  id text not null,
  product_id bigint not null,
  -- Null for goods that were scrapped.
  location_id text,
  quantity numeric(15, 3) not null check (quantity > 0),
  -- The line that the caller named; null when the receipt named a product.
  line_id bigint,
  -- What named the goods: the same name is the same content, also when the product has got another one since.
  sent_name text not null,
  operator_id bigint,
  disposition text not null check (disposition in ('restock', 'quarantine', 'scrap')),
  -- The lines that it filled, and what each of them got.
  lines jsonb not null,
  movement_id bigint,
  created_at timestamptz not null,
  undone_at timestamptz,
  primary key (tenant_id, record_id, id)
) with (fillfactor = 80);
