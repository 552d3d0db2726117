-- The seed of the demo that made the tenant, which is the tenant of a demo alone when it has one: anyone may name a tenant like a demo.
alter table tenants add column demo_seed bigint;
