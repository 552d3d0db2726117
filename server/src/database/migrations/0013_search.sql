-- Search for any part of a text, regardless of case. Postgres's own ilike and pg_trgm follow the locale of the database: in the locale C
-- they only know ASCII letters. These functions are the same in every database.

do $$
begin
  if not exists (select from pg_collation where collname = 'und-x-icu' and collnamespace = 'pg_catalog'::regnamespace) then
    raise exception 'This Postgres has no ICU collations, which the search of products and orders needs'
      using hint = 'Use a Postgres that was built with ICU, as the packages of all distributions are, and run pg_import_system_collations(''pg_catalog'') if it was added later.';
  end if;
end $$;

-- A text in lower case, by the rules of Unicode. Each letter becomes exactly one letter: İ would become two, and the final ς would depend
-- on the next letter, so that a part of a text might not be part of the result.
create function fold_case(value text) returns text language sql immutable parallel safe
  return translate(lower(translate(value, 'İ', 'i') collate "und-x-icu"), 'ς', 'σ');

-- A number for each three consecutive characters in the texts of a tenant's record, for an index over all tenants. Numbers take a third of
-- the space of texts, and those of two tenants differ. The cost, and that it cannot run in parallel, keep the planner from calculating them
-- for each row of the table instead of reading the index, even in a plan made while the table is empty.
create function search_keys(tenant_id bigint, variadic texts text[]) returns bigint[] language plpgsql immutable cost 1000000 as $$
declare
  folded text;
  keys bigint[] := '{}';
begin
  foreach folded in array texts loop
    folded := translate(lower(translate(folded, 'İ', 'i') collate "und-x-icu"), 'ς', 'σ');
    for i in 1 .. coalesce(length(folded), 0) - 2 loop
      keys := keys || hashtextextended(substr(folded, i, 3), tenant_id);
    end loop;
  end loop;
  return keys;
end $$;

-- The numbers of active and of deleted products, maintained like the numbers of orders. By triggers, because old servers still create and
-- delete products while they are replaced.
create table product_count_changes (
  tenant_id bigint not null,
  is_active boolean not null,
  change integer not null
);
create index product_count_changes_by_tenant on product_count_changes (tenant_id);
create table product_totals (
  tenant_id bigint not null,
  is_active boolean not null,
  count bigint not null,
  primary key (tenant_id, is_active)
) with (fillfactor = 80);

-- For each row, because a trigger for each statement would also run for statements without such rows.
create function count_product() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    insert into product_count_changes (tenant_id, is_active, change) values (old.tenant_id, old.is_active, -1);
  end if;
  if tg_op <> 'DELETE' then
    insert into product_count_changes (tenant_id, is_active, change) values (new.tenant_id, new.is_active, 1);
  end if;
  return null;
end $$;
create trigger products_count_created after insert on products for each row
  -- For a copy that has the counts too.
  when (current_setting('fulfillment.keep_counts', true) is distinct from 'on') execute function count_product();
create trigger products_count_changed after update of is_active on products for each row
  when (old.is_active <> new.is_active) execute function count_product();
create trigger products_count_deleted after delete on products for each row execute function count_product();
