-- Goods that a warehouse expects.
create table inbound (
  tenant_id bigint not null,
  id bigint generated always as identity,
  reference text,
  -- SHA-256 of what the first call sent: as it was sent, and with products as the records that they name.
  sent_hash bytea not null,
  content_hash bytea not null,
  warehouse_id bigint not null,
  state text not null default 'expected' check (state in ('expected', 'receiving', 'closed', 'cancelled')),
  expected_at date,
  supplier text,
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

create table inbound_lines (
  tenant_id bigint not null,
  record_id bigint not null,
  id bigint generated always as identity,
  product_id bigint not null,
  -- Of the delivery, so that what is incoming to a warehouse is found without it.
  warehouse_id bigint not null,
  -- 0 for a product that came unannounced.
  quantity numeric(15, 3) not null check (quantity >= 0),
  received numeric not null default 0 check (received >= 0),
  -- Whether more of it is expected: the delivery is not over, and less than `quantity` received.
  is_open boolean not null default true,
  primary key (tenant_id, record_id, id),
  foreign key (tenant_id, record_id) references inbound (tenant_id, id),
  foreign key (tenant_id, product_id) references products (tenant_id, id)
) with (fillfactor = 80);
create index inbound_lines_by_product on inbound_lines (tenant_id, product_id, record_id);
create index inbound_lines_open on inbound_lines (tenant_id, product_id, warehouse_id) where is_open;

-- Written while the delivery is locked, and deliveries are never deleted: so there is no foreign key, which would cost each receipt a look-up.
create table inbound_receipts (
  tenant_id bigint not null,
  record_id bigint not null,
  -- Chosen by the client, so that a receipt can be sent again; else generated.
  id text not null,
  product_id bigint not null,
  location_id text not null,
  quantity numeric(15, 3) not null check (quantity > 0),
  -- The line that the caller named; null when the receipt named a product.
  line_id bigint,
  -- What named the goods: the same name is the same content, also when the product has got another one since.
  sent_name text not null,
  operator_id bigint,
  -- The lines that it filled, and what each of them got.
  lines jsonb not null,
  movement_id bigint not null,
  created_at timestamptz not null,
  undone_at timestamptz,
  primary key (tenant_id, record_id, id)
) with (fillfactor = 80);
