-- Flows that are picked in one walk. A batch's state and end follow from its flows, so nothing here changes.
create table flow_batches (
  tenant_id bigint not null,
  id bigint generated always as identity,
  reference text,
  -- SHA-256 of what the first call sent: as it was sent, and with orders as the records that they name.
  sent_hash bytea not null,
  content_hash bytea not null,
  warehouse_id bigint not null,
  operator_email text not null,
  operator_id bigint,
  created_by text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id),
  unique (tenant_id, reference),
  foreign key (tenant_id, warehouse_id) references warehouses (tenant_id, id)
);
create index flow_batches_newest on flow_batches (tenant_id, created_at desc, id desc);

-- Flows are put into slots by the transaction that makes their batch, and batches are never deleted: so there is no foreign key, whose
-- check would read all flows.
alter table picking_flows
  add column batch_id bigint,
  add column slot integer;
