-- What was picked of the line when the latest flow of its order began: the difference is what that flow picked.
alter table order_lines
  add picked_before_flow numeric(15, 3) not null default 0,
  add constraint order_lines_picked_before_flow check (picked_before_flow between 0 and picked_quantity);

-- Counts the picks and undone picks of the flow: a statement that waited for the order's lock sees by it whether its snapshot is out of date.
alter table picking_flows add revision integer not null default 0;
alter table picking_flows set (fillfactor = 80);
create index picking_flows_by_state on picking_flows (tenant_id, state, id);

create table picks (
  tenant_id bigint not null,
  flow_id bigint not null,
  -- Chosen by the scanner, so that a scan can be sent again; else generated.
  id text not null,
  product_id bigint not null,
  location_id text not null,
  quantity numeric(15, 3) not null check (quantity > 0),
  -- The line that the caller named; null when the pick named a product, which then filled its lines in order.
  order_line_id bigint,
  -- The lines that it filled, as they were shown after it, with what each of them got (taken). A repeat answers with it.
  lines jsonb not null,
  movement_id bigint not null,
  created_at timestamptz not null,
  undone_at timestamptz,
  primary key (tenant_id, flow_id, id),
  foreign key (tenant_id, flow_id) references picking_flows (tenant_id, id)
);

-- The totals of the list of flows, kept as those of orders are.
create table flow_count_changes (
  tenant_id bigint not null,
  state text not null,
  change integer not null
);
create index flow_count_changes_by_tenant on flow_count_changes (tenant_id);
create table flow_totals (
  tenant_id bigint not null,
  state text not null,
  count bigint not null,
  primary key (tenant_id, state)
) with (fillfactor = 80);
