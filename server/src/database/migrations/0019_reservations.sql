-- What a tenant chose. A tenant without a row has the defaults.
create table tenant_settings (
  tenant_id bigint primary key references tenants (id),
  reservation_policy text not null default 'off' check (reservation_policy in ('off', 'track', 'strict')),
  -- `ready`, or what the background job is at after reserving was turned on or off. `clearing`: it removes all reservations. `collecting`:
  -- it writes down the open lines of all orders as backordered. `settling`: it reserves for them by rank.
  reservation_phase text not null default 'ready' check (reservation_phase in ('ready', 'clearing', 'collecting', 'settling')),
  -- Counts the times that reserving was turned on or off: the job notices by it that it is out of date.
  reservation_switches integer not null default 0,
  -- The process that does the job has it until then.
  switching_until timestamptz not null default '-infinity',
  weight_barcodes jsonb not null default '[]',
  updated_at timestamptz
);
create index tenant_settings_switching on tenant_settings (tenant_id) where reservation_phase <> 'ready';

-- Whether the level's location is sellable, kept here as its warehouse is.
alter table stock_levels add column sellable boolean not null default true;
alter table stock_levels
  add constraint stock_levels_sellable_location_fkey foreign key (tenant_id, location_id, warehouse_id, sellable)
    references locations (tenant_id, id, warehouse_id, sellable) on update cascade not valid;
-- Two foreign keys would each cascade a change of the location. The new one has its name, because servers repeat a statement that fails on it.
alter table stock_levels drop constraint stock_levels_location_fkey;
alter table stock_levels rename constraint stock_levels_sellable_location_fkey to stock_levels_location_fkey;

-- The totals of a product in a warehouse. Whoever changes a reservation, a hold or the stock of the two has locked this row.
alter table warehouse_stock
  -- The part of `quantity` in locations that are not sellable.
  add column unsellable numeric(20, 3) not null default 0,
  -- Reserved for open orders and by holds.
  add column reserved numeric(20, 3) not null default 0,
  -- The part of `reserved` by holds.
  add column held numeric(20, 3) not null default 0,
  -- Ordered by open orders, neither picked nor reserved.
  add column backordered numeric(20, 3) not null default 0;
alter table warehouse_stock
  add constraint warehouse_stock_reserved check (held >= 0 and held <= reserved) not valid,
  add constraint warehouse_stock_backordered check (backordered >= 0) not valid;

-- What is open of a line of an open order: the part that is reserved and the part that waits for stock. A line of which nothing is open has no row. The line
-- is not referred to by a foreign key, so that nobody waits for the lock of an order.
create table order_reservations (
  tenant_id bigint not null,
  order_id bigint not null,
  order_line_id bigint not null,
  product_id bigint not null,
  warehouse_id bigint not null,
  assembly_date date not null,
  reserved numeric(15, 3) not null check (reserved >= 0),
  backordered numeric(15, 3) not null check (backordered >= 0),
  primary key (tenant_id, order_id, order_line_id)
) with (fillfactor = 80);
-- By rank: the last loses first, the first is served first.
create index order_reservations_by_rank on order_reservations (tenant_id, product_id, warehouse_id, assembly_date, order_id, order_line_id)
  where reserved > 0;
create index order_backorders_by_rank on order_reservations (tenant_id, product_id, warehouse_id, assembly_date, order_id, order_line_id)
  where backordered > 0;

-- The sums of an open order's reservations. Its status is `backordered` while something of it is.
create table order_reservation_sums (
  tenant_id bigint not null,
  order_id bigint not null,
  reserved numeric(20, 3) not null,
  backordered numeric(20, 3) not null,
  -- What `backordered` was before the latest change; null for a new row.
  previous_backordered numeric(20, 3),
  primary key (tenant_id, order_id)
) with (fillfactor = 80);
create index order_reservation_sums_backordered on order_reservation_sums (tenant_id, order_id) where backordered > 0;

-- Stock that is kept for carts.
create table holds (
  tenant_id bigint not null,
  id bigint generated always as identity,
  reference text not null,
  -- SHA-256 of what the first call sent.
  content_hash bytea not null,
  -- An active hold is over from expires_at on, whatever is written here.
  state text not null default 'active' check (state in ('active', 'consumed', 'released', 'expired')),
  warehouse_id bigint not null,
  expires_at timestamptz not null,
  order_id bigint,
  created_by text not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id),
  foreign key (tenant_id, warehouse_id) references warehouses (tenant_id, id)
) with (fillfactor = 80);
create unique index holds_one_active on holds (tenant_id, reference) where state = 'active';
create index holds_by_reference on holds (tenant_id, reference, id);

create table hold_lines (
  tenant_id bigint not null,
  hold_id bigint not null,
  line_number integer not null,
  product_id bigint not null,
  warehouse_id bigint not null,
  quantity numeric(15, 3) not null check (quantity > 0),
  -- What is left of it; 0 once the hold is over.
  reserved numeric(15, 3) not null check (reserved >= 0 and reserved <= quantity),
  -- Of the hold, so that expired lines of a product are found without it.
  expires_at timestamptz not null,
  primary key (tenant_id, hold_id, line_number),
  foreign key (tenant_id, hold_id) references holds (tenant_id, id),
  foreign key (tenant_id, product_id) references products (tenant_id, id)
) with (fillfactor = 80);
create index hold_lines_by_product on hold_lines (tenant_id, product_id, warehouse_id, expires_at) where reserved > 0;
create index hold_lines_by_expiry on hold_lines (tenant_id, expires_at) where reserved > 0;

-- Products in a warehouse with more lines to settle than a call does. The background job does the rest.
create table unsettled_stock (
  tenant_id bigint not null,
  product_id bigint not null,
  warehouse_id bigint not null,
  primary key (tenant_id, product_id, warehouse_id)
);

