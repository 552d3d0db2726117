-- What a location is good for. A constant default rewrites no row.
alter table locations
  -- Picks may take from it.
  add column pickable boolean not null default true,
  -- Its stock may be promised to orders.
  add column sellable boolean not null default true,
  -- Its place in the order of picking; those without one come last.
  add column pick_sequence integer;
