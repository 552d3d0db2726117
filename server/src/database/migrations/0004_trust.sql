-- How many requests each API key has made in the current minute, over all server processes. Worth nothing after a crash, so it need not
-- be in the WAL: taking some costs no wait for the disk.
create unlogged table rate_limit_windows (
  tenant_id bigint not null,
  key_id bigint not null,
  ends_at timestamptz not null,
  -- Requests that processes have made or set aside to make.
  taken bigint not null,
  -- How many of them the latest taker got.
  granted bigint not null,
  primary key (tenant_id, key_id)
) with (fillfactor = 50);

-- Who changed what. An entry is stored before the change is made, so that there is none without one.
create table audit_log (
  tenant_id bigint not null,
  at timestamptz not null,
  id uuid not null,
  key_id bigint not null,
  -- As it was then.
  key_name text not null,
  address text not null,
  request_id text not null,
  -- `stock.adjust`
  operation text not null,
  input json not null,
  -- The code of the error with which the call ended.
  error text,
  primary key (tenant_id, at, id)
) partition by range (at);
create table audit_log_default partition of audit_log default;
-- Only `error` may be added to an entry.
create trigger audit_log_append_only
  before update of tenant_id, at, id, key_id, key_name, address, request_id, operation, input or delete or truncate on audit_log
  for each statement execute function refuse_change();
