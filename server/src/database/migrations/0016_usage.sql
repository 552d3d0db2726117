-- Requests with an API key by hour, key and operation. Kept for 90 days.
create table usage_hours (
  tenant_id bigint not null,
  at timestamptz not null,
  key_id bigint not null,
  operation text not null,
  requests bigint not null,
  -- Responses of 4xx without 429.
  client_errors bigint not null,
  -- Responses of 429.
  limited bigint not null,
  server_errors bigint not null,
  primary key (tenant_id, at, key_id, operation)
) with (fillfactor = 80);
