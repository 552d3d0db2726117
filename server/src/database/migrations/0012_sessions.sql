-- Sign-ins of the pages. A session has the rights of its API key at every request. Of its token only the SHA-256 is stored.
create table sessions (
  tenant_id bigint not null,
  id bigint generated always as identity,
  kind text not null check (kind in ('dashboard', 'device')),
  token_hash bytea not null,
  key_id bigint not null,
  -- The mode of the key; for a device the mode in which it was enrolled.
  mode text not null check (mode in ('live', 'test')),
  device_name text,
  operator_id bigint,
  user_agent text,
  address text not null,
  created_at timestamptz not null default now(),
  -- Written at most once a minute.
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  primary key (tenant_id, id),
  unique (tenant_id, token_hash),
  foreign key (tenant_id, key_id) references api_keys (tenant_id, id)
) with (fillfactor = 80);
create index sessions_of_key on sessions (tenant_id, key_id, created_at);

-- One-time codes that make a session. Of a code only the SHA-256 is stored.
create table sign_in_codes (
  tenant_id bigint not null,
  code_hash bytea not null,
  key_id bigint not null,
  -- Of the session that it makes.
  kind text not null check (kind in ('dashboard', 'device')),
  device_name text,
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (tenant_id, code_hash),
  foreign key (tenant_id, key_id) references api_keys (tenant_id, id)
);

-- Where a call came from: `api`, `dashboard` or `scan`; the session, and the operator who was signed in on the device.
alter table audit_log
  add column surface text not null default 'api',
  add column session_id bigint,
  add column operator_email text;
create trigger audit_log_append_only_surface
  before update of surface, session_id, operator_email on audit_log
  for each statement execute function refuse_change();
