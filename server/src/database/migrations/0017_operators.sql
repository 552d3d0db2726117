-- People who pick with a device. A badge says who uses the device and opens nothing without one. Of a badge only the SHA-256 is stored.
create table operators (
  tenant_id bigint not null,
  id bigint generated always as identity,
  name text not null,
  email text not null,
  badge_hash bytea,
  may_change_stock boolean not null default false,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
-- An operator owns the picking flows with this e-mail address, in any case of its letters.
create unique index operators_email_key on operators (tenant_id, fold_case(email));

-- What a browser remains through all its enrolments, so that it can send what it kept. Of its secret only the SHA-256 is stored.
create table devices (
  tenant_id bigint not null,
  id bigint generated always as identity,
  secret_hash bytea not null,
  enrolled_at timestamptz not null default now(),
  primary key (tenant_id, id)
);

-- Every operator who ever signed in on a device. It may send what they scanned also after another one has signed in.
create table device_operators (
  tenant_id bigint not null,
  operator_id bigint not null,
  device_id bigint not null,
  last_active_at timestamptz not null default now(),
  primary key (tenant_id, operator_id, device_id),
  foreign key (tenant_id, operator_id) references operators (tenant_id, id),
  foreign key (tenant_id, device_id) references devices (tenant_id, id) on delete cascade
);
create index device_operators_by_device on device_operators (tenant_id, device_id);

-- The device of a session, in the tenant or sandbox whose data it uses.
alter table sessions add column device_id bigint;
-- Of the session that the code makes. A device of the sandbox can belong to a live key.
alter table sign_in_codes add column mode text not null default 'live';
