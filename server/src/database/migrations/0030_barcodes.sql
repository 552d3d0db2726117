-- Additional barcodes of products, and of packs of them.
create table product_barcodes (
  tenant_id bigint not null,
  barcode text not null,
  -- In the order of their creation.
  id bigint generated always as identity,
  product_id bigint not null,
  -- Base units.
  quantity numeric(15, 3) not null check (quantity > 0),
  name text,
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, barcode),
  foreign key (tenant_id, product_id) references products (tenant_id, id)
);
create index product_barcodes_by_product on product_barcodes (tenant_id, product_id);

-- A barcode is unique among these and those of products. Whoever adds one here has locked the catalog against calls that create products,
-- of servers of every version, and has looked for a product with it. Whoever creates products looks here: in a trigger, because its query
-- sees what was committed while the call waited for that lock, and because old servers do not look. For each statement: for each row, it
-- would take a sixth of the time to insert 1,000 products.
create function refuse_additional_barcodes() returns trigger language plpgsql as $$
begin
  if exists (select from created c join product_barcodes b on b.tenant_id = c.tenant_id and b.barcode = c.barcode) then
    raise unique_violation using constraint = 'product_barcodes_pkey', message = 'the barcode is an additional one of another product';
  end if;
  return null;
end $$;
create trigger products_refuse_additional_barcodes after insert on products referencing new table as created
  for each statement execute function refuse_additional_barcodes();

-- What named the product, of a pick that names it by another barcode than its primary one, or leaves out the quantity: the same name is the
-- same content, also when the barcode has been removed since.
alter table picks add column sent_name text;
