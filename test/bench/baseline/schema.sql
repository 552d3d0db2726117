-- What a hand-written server without features would keep: no tenant in the keys, no counts, an outbox nobody reads.
drop schema if exists bare cascade;
create schema bare;
set search_path = bare;

create table tenants (id int primary key, name text not null);
create table products (
  id bigint generated always as identity primary key,
  tenant_id int not null references tenants,
  barcode text not null, external_id text, name text not null, description text, category text,
  price numeric(12, 2), weight numeric(10, 3), width numeric(10, 2), height numeric(10, 2), depth numeric(10, 2),
  sales_unit int not null default 1, weighable boolean not null default false, photo_url text,
  is_active boolean not null default true,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  unique (tenant_id, barcode)
);
create index on products (tenant_id, external_id);
create table locations (
  id int generated always as identity primary key,
  tenant_id int not null references tenants, code text not null, unique (tenant_id, code)
);
create table stock_levels (
  product_id bigint not null references products, location_id int not null references locations,
  tenant_id int not null, quantity numeric(14, 3) not null check (quantity >= 0),
  updated_at timestamptz not null default now(),
  primary key (product_id, location_id)
) with (fillfactor = 80);
create table stock_movements (
  id bigint generated always as identity primary key,
  tenant_id int not null, product_id bigint not null references products,
  location_id int not null references locations, movement_type text not null,
  quantity numeric(14, 3) not null, previous_quantity numeric(14, 3) not null, new_quantity numeric(14, 3) not null,
  reason text, order_id bigint, user_id int, created_at timestamptz not null default now()
);
create index on stock_movements (tenant_id, id desc);
create index on stock_movements (product_id, id desc);
create table orders (
  id bigint generated always as identity primary key,
  tenant_id int not null references tenants,
  order_tenant_id text not null, state_id smallint not null default 1, state_picking_id int,
  assembly_date date not null, customer_name text, shipping_address text, items_count int not null,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  unique (tenant_id, order_tenant_id)
);
create index on orders (tenant_id, id desc);
create index on orders (tenant_id, state_id, id desc);
create table order_lines (
  id bigint generated always as identity primary key,
  order_id bigint not null references orders, product_id bigint not null references products,
  barcode text not null, quantity int not null, picked_quantity numeric(14, 3) not null default 0, price numeric(12, 2)
);
create index on order_lines (order_id);
create table flows (
  id bigint generated always as identity primary key,
  tenant_id int not null references tenants,
  order_id bigint not null references orders, picked numeric(14, 3) not null default 0
);
create table picks (
  id bigint generated always as identity primary key,
  flow_id bigint not null references flows, order_line_id bigint not null references order_lines,
  movement_id bigint not null, quantity numeric(14, 3) not null, created_at timestamptz not null default now()
);
create index on picks (flow_id);
create table outbox_events (
  id bigint generated always as identity primary key,
  tenant_id int not null, topic text not null, payload jsonb not null, created_at timestamptz not null default now()
);
