-- One time decides whether an order gets its hold: when the statement began. Each function looked at the clock for itself, so an order that was
-- accepted because of its hold lost it to others when the hold expired in between. From the first look on, the statement has the locks of its holds
-- and of their totals.

-- As in 0041_left_of_holds.sql, but that a hold which was active when the statement began keeps its lines for its order.
create or replace function settle_reservations(
  of_tenant bigint, stock_products bigint[], stock_warehouses bigint[],
  line_orders bigint[], line_ids bigint[], from_elsewhere boolean[],
  are_new boolean default false, line_holds bigint[] default null, most_lines integer default 1000
) returns table (
  order_id bigint, order_tenant_id text, warehouse_id bigint, status text, previous_status text,
  reserved_quantity numeric, backordered_quantity numeric, updated_at timestamptz
)
language plpgsql volatile set enable_seqscan = off as $$
#variable_conflict use_column
declare
  phase text;
  products bigint[] := stock_products;
  warehouses bigint[] := stock_warehouses;
  lines_left integer := most_lines;
  total record;
  excess numeric;
  free numeric;
  -- What changed of orders, by position.
  changed_orders bigint[] := '{}';
  reserved_changes numeric[] := '{}';
  backordered_changes numeric[] := '{}';
  ended_orders bigint[];
  some_orders bigint[];
  some_quantities numeric[];
  more_quantities numeric[];
  has_expired boolean;
  is_unsettled boolean;
  -- What orders took over from holds, by position.
  owners bigint[];
  owned_products bigint[];
  owned_warehouses bigint[];
  owned_quantities numeric[];
  -- The holds that orders take over.
  active_holds bigint[] := '{}';
begin
  if line_holds is not null then
    -- A filter sees what is there after the locks. A condition could be checked before them.
    select coalesce(array_agg(l.id) filter (where l.state = 'active' and l.expires_at > statement_timestamp()), '{}') into active_holds
    from (
      select h.id, h.state, h.expires_at from holds h
      where h.tenant_id = of_tenant and h.id = any (line_holds) order by h.id for no key update
    ) l;
  end if;
  if line_orders is not null then
    select array_agg(p.product_id), array_agg(p.warehouse_id) into products, warehouses
    from (
      select s.product_id, s.warehouse_id from unnest(stock_products, stock_warehouses) s (product_id, warehouse_id)
      union
      select l.product_id, o.warehouse_id from unnest(line_orders, line_ids) c (order_id, line_id)
      cross join lateral (select warehouse_id from orders where tenant_id = of_tenant and id = c.order_id limit 1) o
      cross join lateral (
        select product_id from order_lines where tenant_id = of_tenant and order_id = c.order_id
          and id between coalesce(c.line_id, 0) and coalesce(c.line_id, 9223372036854775807)
        offset 0
      ) l
      union
      select h.product_id, h.warehouse_id from hold_lines h where h.tenant_id = of_tenant and h.hold_id = any (line_holds)
    ) p;
    perform lock_totals(of_tenant, products, warehouses);
  end if;
  if products is null then return; end if;
  if line_orders is not null and line_orders[1] is null then
    delete from unsettled_stock u using unnest(products, warehouses) p (product_id, warehouse_id)
    where u.tenant_id = of_tenant and u.product_id = any (products) and u.product_id = p.product_id and u.warehouse_id = p.warehouse_id;
  end if;

  select reservation_phase into phase from tenant_settings
  where tenant_id = of_tenant and reservation_policy <> 'off' and reservation_phase <> 'clearing';
  if phase is null then return; end if;

  select bool_or(w.held > 0), bool_or(w.reserved > w.quantity - w.unsellable or w.backordered > 0 and w.reserved < w.quantity - w.unsellable)
  into has_expired, is_unsettled
  from unnest(products, warehouses) p (product_id, warehouse_id)
  cross join lateral (
    select * from warehouse_stock where tenant_id = of_tenant and product_id = p.product_id and warehouse_id = p.warehouse_id limit 1
  ) w;

  if has_expired then
    with expired as materialized (
      select h.* from (select distinct u.product_id, u.warehouse_id from unnest(products, warehouses) u (product_id, warehouse_id)) p
      cross join lateral (
        select ctid as place, product_id, warehouse_id, reserved from hold_lines
        where tenant_id = of_tenant and product_id = p.product_id and warehouse_id = p.warehouse_id and reserved > 0
          and expires_at <= clock_timestamp() and not hold_id = any (active_holds)
        offset 0
      ) h
    ), dropped as (
      update hold_lines h set reserved = 0 from expired e where h.ctid = any (array(select place from expired)) and h.ctid = e.place
    )
    update warehouse_stock w set reserved = w.reserved - e.quantity, held = w.held - e.quantity
    from (select product_id, warehouse_id, sum(reserved) as quantity from expired group by product_id, warehouse_id) e
    where w.tenant_id = of_tenant and w.product_id = any (products) and w.product_id = e.product_id and w.warehouse_id = e.warehouse_id;
    is_unsettled := is_unsettled or found;
  end if;

  if cardinality(active_holds) > 0 then
    with taken as materialized (
      select c.hold_id as id, min(c.order_id) as order_id from unnest(line_orders, line_holds) c (order_id, hold_id)
      where c.hold_id = any (active_holds)
      group by c.hold_id
    ), consumed as (
      update holds h set state = 'consumed', order_id = t.order_id, updated_at = clock_timestamp()
      from taken t where h.tenant_id = of_tenant and h.id = any (active_holds) and h.id = t.id
    ), owned as materialized (
      select l.ctid as place, t.order_id, l.product_id, l.warehouse_id, l.reserved
      from taken t cross join lateral (
        select ctid, product_id, warehouse_id, reserved from hold_lines
        where tenant_id = of_tenant and hold_id = t.id and reserved > 0 offset 0
      ) l
    ), emptied as (
      update hold_lines l set reserved = 0 from owned o where l.ctid = any (array(select place from owned)) and l.ctid = o.place
    ), changed_total as (
      update warehouse_stock w set reserved = w.reserved - o.quantity, held = w.held - o.quantity
      from (select product_id, warehouse_id, sum(reserved) as quantity from owned group by product_id, warehouse_id) o
      where w.tenant_id = of_tenant and w.product_id = any (products) and w.product_id = o.product_id and w.warehouse_id = o.warehouse_id
    )
    select array_agg(o.order_id), array_agg(o.product_id), array_agg(o.warehouse_id), array_agg(o.quantity)
    into owners, owned_products, owned_warehouses, owned_quantities
    from (
      select order_id, product_id, warehouse_id, sum(reserved) as quantity from owned group by order_id, product_id, warehouse_id
    ) o;
  end if;

  if line_orders is not null then
    with line as materialized (
      select l.order_id, l.id, l.product_id, o.warehouse_id, o.assembly_date, o.is_open, c.from_elsewhere, r.order_id is not null as has_row,
        coalesce(r.reserved, 0) as old_reserved, coalesce(r.backordered, 0) as old_backordered, r.assembly_date as old_date,
        greatest(r.reserved + r.backordered - l.open, 0) as less, l.open - least(coalesce(r.reserved + r.backordered, 0), l.open) as more
      from unnest(line_orders, line_ids, from_elsewhere) c (order_id, line_id, from_elsewhere)
      cross join lateral (
        select warehouse_id, assembly_date, state_id in (1, 2, 3) as is_open from orders where tenant_id = of_tenant and id = c.order_id limit 1
      ) o
      cross join lateral (
        select order_id, id, product_id, case
            when not o.is_open then 0
            when pick_tolerance_percent = 0 then quantity - picked_quantity
            else open_quantity(quantity, picked_quantity, pick_tolerance_percent)
          end as open
        from order_lines where tenant_id = of_tenant and order_id = c.order_id
          and id between coalesce(c.line_id, 0) and coalesce(c.line_id, 9223372036854775807)
        offset 0
      ) l
      left join lateral (
        select order_id, reserved, backordered, assembly_date from order_reservations
        where tenant_id = of_tenant and order_id = l.order_id and order_line_id = l.id limit 1
      ) r on true
    ), with_hold as materialized (
      select l.*, case when l.from_elsewhere then greatest(less - old_backordered, 0) else least(less, old_reserved) end as lost,
        coalesce(least(more, greatest(
          o.quantity - (sum(more) over (partition by l.order_id, l.product_id, l.warehouse_id order by l.id) - more), 0
        )), 0) as owned
      from line l left join unnest(owners, owned_products, owned_warehouses, owned_quantities) o (order_id, product_id, warehouse_id, quantity)
        on o.order_id = l.order_id and o.product_id = l.product_id and o.warehouse_id = l.warehouse_id
    ), reduced as materialized (
      select l.*, sum(more - owned) over (partition by l.product_id, l.warehouse_id order by l.order_id, l.id) - (more - owned) as wanted_before
      from with_hold l
    ), available as materialized (
      select p.product_id, p.warehouse_id, w.place, p.lost,
        case when phase = 'collecting' then 0
          when are_new then w.quantity - w.unsellable - w.reserved - w.backordered - p.owned
          else greatest(w.quantity - w.unsellable - w.reserved + p.lost, 0)
        end as quantity
      from (
        select r.product_id, r.warehouse_id, sum(r.lost) as lost, coalesce((
          select sum(o.quantity) from unnest(owned_products, owned_warehouses, owned_quantities) o (product_id, warehouse_id, quantity)
          where o.product_id = r.product_id and o.warehouse_id = r.warehouse_id
        ), 0) as owned
        from reduced r group by r.product_id, r.warehouse_id
      ) p
      cross join lateral (
        select ctid as place, quantity, unsellable, reserved, backordered from warehouse_stock
        where tenant_id = of_tenant and product_id = p.product_id and warehouse_id = p.warehouse_id limit 1
      ) w
    ), left_over as materialized (
      select o.order_id, o.product_id, o.warehouse_id, o.quantity - coalesce(sum(l.owned), 0) as quantity
      from unnest(owners, owned_products, owned_warehouses, owned_quantities) o (order_id, product_id, warehouse_id, quantity)
      left join with_hold l using (order_id, product_id, warehouse_id)
      where phase <> 'collecting'
      group by o.order_id, o.product_id, o.warehouse_id, o.quantity having o.quantity > coalesce(sum(l.owned), 0)
    ), new_line as materialized (
      select l.*, a.place, l.old_reserved - l.lost + l.given as reserved, l.old_backordered - (l.less - l.lost) + l.more - l.given as backordered
      from (
        select r.*, r.owned + greatest(least(r.more - r.owned, a.quantity + coalesce(h.left_before, 0) - r.wanted_before), 0) as given
        from reduced r join available a using (product_id, warehouse_id)
        left join lateral (
          select sum(f.quantity) as left_before from left_over f
          where f.product_id = r.product_id and f.warehouse_id = r.warehouse_id and f.order_id < r.order_id
        ) h on true
      ) l join available a using (product_id, warehouse_id)
    ), removed as (
      delete from order_reservations r using new_line l
      where r.tenant_id = of_tenant and r.order_id = any (line_orders) and r.order_id = l.order_id and r.order_line_id = l.id
        and l.has_row and l.reserved = 0 and l.backordered = 0
    ), stored as (
      insert into order_reservations as r
        (tenant_id, order_id, order_line_id, product_id, warehouse_id, assembly_date, reserved, backordered)
      select of_tenant, l.order_id, l.id, l.product_id, l.warehouse_id, l.assembly_date, l.reserved, l.backordered from new_line l
      where (l.reserved > 0 or l.backordered > 0)
        and (not l.has_row or (l.reserved, l.backordered, l.assembly_date) <> (l.old_reserved, l.old_backordered, l.old_date))
      on conflict (tenant_id, order_id, order_line_id) do update
      set reserved = excluded.reserved, backordered = excluded.backordered, assembly_date = excluded.assembly_date
    ), changed_total as (
      update warehouse_stock w set reserved = w.reserved + l.reserved, backordered = w.backordered + l.backordered
      from (
        select place, sum(reserved - old_reserved) as reserved, sum(backordered - old_backordered) as backordered from new_line group by place
      ) l
      where w.ctid = any (array(select place from available)) and w.ctid = l.place and (l.reserved <> 0 or l.backordered <> 0)
    )
    select array_agg(c.order_id) filter (where c.is_open and c.is_changed), array_agg(c.reserved) filter (where c.is_open and c.is_changed),
      array_agg(c.backordered) filter (where c.is_open and c.is_changed), array_agg(c.order_id) filter (where not c.is_open)
    into some_orders, some_quantities, more_quantities, ended_orders
    from (
      select l.order_id, l.is_open, sum(l.reserved - l.old_reserved) as reserved, sum(l.backordered - l.old_backordered) as backordered,
        bool_or(l.reserved <> l.old_reserved or l.backordered <> l.old_backordered) as is_changed
      from new_line l group by l.order_id, l.is_open
    ) c;
    changed_orders := changed_orders || some_orders;
    reserved_changes := reserved_changes || some_quantities;
    backordered_changes := backordered_changes || more_quantities;
    is_unsettled := true;
  end if;

  if is_unsettled then
    for total in
      select w.*, w.quantity - w.unsellable as sellable
      from (select distinct u.product_id, u.warehouse_id from unnest(products, warehouses) u (product_id, warehouse_id)) p
      cross join lateral (
        select * from warehouse_stock where tenant_id = of_tenant and product_id = p.product_id and warehouse_id = p.warehouse_id limit 1
      ) w
      where w.reserved > w.quantity - w.unsellable or w.backordered > 0 and w.reserved < w.quantity - w.unsellable
      order by w.product_id, w.warehouse_id
    loop
      excess := total.reserved - total.sellable;
      if excess > 0 and total.held > 0 then
        with held as (
          select ctid as place, reserved, sum(reserved) over (order by hold_id desc, line_number desc) - reserved as before
          from (
            select ctid, hold_id, line_number, reserved from hold_lines
            where tenant_id = of_tenant and product_id = total.product_id and warehouse_id = total.warehouse_id and reserved > 0
            order by hold_id desc, line_number desc limit lines_left
          ) h
        ), cut as materialized (
          select place, least(reserved, excess - before) as quantity from held where before < excess
        ), changed as (
          update hold_lines h set reserved = h.reserved - c.quantity from cut c where h.ctid = any (array(select place from cut)) and h.ctid = c.place
          returning c.quantity
        ), lost as (
          select coalesce(sum(quantity), 0) as quantity, count(*) as lines from changed
        ), changed_total as (
          update warehouse_stock w set reserved = w.reserved - l.quantity, held = w.held - l.quantity from lost l
          where w.tenant_id = of_tenant and w.product_id = total.product_id and w.warehouse_id = total.warehouse_id
        )
        select excess - l.quantity, lines_left - l.lines into excess, lines_left from lost l;
      end if;
      if excess > 0 and lines_left > 0 then
        with reserved as (
          select ctid as place, order_id, reserved,
            sum(reserved) over (order by assembly_date desc, order_id desc, order_line_id desc) - reserved as before
          from (
            select ctid, assembly_date, order_id, order_line_id, reserved from order_reservations
            where tenant_id = of_tenant and product_id = total.product_id and warehouse_id = total.warehouse_id and reserved > 0
            order by assembly_date desc, order_id desc, order_line_id desc limit lines_left
          ) r
        ), cut as materialized (
          select place, order_id, least(reserved, excess - before) as quantity from reserved where before < excess
        ), changed as (
          update order_reservations r set reserved = r.reserved - c.quantity, backordered = r.backordered + c.quantity
          from cut c where r.ctid = any (array(select place from cut)) and r.ctid = c.place
          returning r.order_id, c.quantity
        ), lost as (
          select coalesce(sum(quantity), 0) as quantity, count(*) as lines, array_agg(order_id) as orders, array_agg(quantity) as quantities,
            array_agg(-quantity) as opposites
          from changed
        ), changed_total as (
          update warehouse_stock w set reserved = w.reserved - l.quantity, backordered = w.backordered + l.quantity from lost l
          where w.tenant_id = of_tenant and w.product_id = total.product_id and w.warehouse_id = total.warehouse_id
        )
        select lines_left - l.lines, l.orders, l.quantities, l.opposites into lines_left, some_orders, some_quantities, more_quantities from lost l;
        changed_orders := changed_orders || some_orders;
        reserved_changes := reserved_changes || more_quantities;
        backordered_changes := backordered_changes || some_quantities;
      end if;
      free := -excess;
      if free > 0 and phase <> 'collecting' and lines_left > 0 then
        with waiting as (
          select ctid as place, order_id, backordered, sum(backordered) over (order by assembly_date, order_id, order_line_id) - backordered as before
          from (
            select ctid, assembly_date, order_id, order_line_id, backordered from order_reservations
            where tenant_id = of_tenant and product_id = total.product_id and warehouse_id = total.warehouse_id and backordered > 0
            order by assembly_date, order_id, order_line_id limit lines_left
          ) r
        ), served as materialized (
          select place, order_id, least(backordered, free - before) as quantity from waiting where before < free
        ), changed as (
          update order_reservations r set reserved = r.reserved + s.quantity, backordered = r.backordered - s.quantity
          from served s where r.ctid = any (array(select place from served)) and r.ctid = s.place
          returning r.order_id, s.quantity
        ), won as (
          select coalesce(sum(quantity), 0) as quantity, count(*) as lines, array_agg(order_id) as orders, array_agg(quantity) as quantities,
            array_agg(-quantity) as opposites
          from changed
        ), changed_total as (
          update warehouse_stock w set reserved = w.reserved + n.quantity, backordered = w.backordered - n.quantity from won n
          where w.tenant_id = of_tenant and w.product_id = total.product_id and w.warehouse_id = total.warehouse_id
        )
        select lines_left - n.lines, n.orders, n.quantities, n.opposites into lines_left, some_orders, some_quantities, more_quantities from won n;
        changed_orders := changed_orders || some_orders;
        reserved_changes := reserved_changes || some_quantities;
        backordered_changes := backordered_changes || more_quantities;
      end if;
    end loop;
    if lines_left <= 0 then
      insert into unsettled_stock (tenant_id, product_id, warehouse_id)
      select of_tenant, w.product_id, w.warehouse_id
      from (select distinct u.product_id, u.warehouse_id from unnest(products, warehouses) u (product_id, warehouse_id)) p
      cross join lateral (
        select * from warehouse_stock where tenant_id = of_tenant and product_id = p.product_id and warehouse_id = p.warehouse_id limit 1
      ) w
      where w.reserved > w.quantity - w.unsellable or w.backordered > 0 and w.reserved < w.quantity - w.unsellable and phase <> 'collecting'
      order by w.product_id, w.warehouse_id
      on conflict do nothing;
    end if;
  end if;

  if ended_orders is not null then
    delete from order_reservation_sums s where s.tenant_id = of_tenant and s.order_id = any (ended_orders);
  end if;
  if cardinality(changed_orders) > 0 then
    return query
    with stored as (
      insert into order_reservation_sums as s (tenant_id, order_id, reserved, backordered)
      select of_tenant, c.order_id, sum(c.reserved), sum(c.backordered)
      from unnest(changed_orders, reserved_changes, backordered_changes) c (order_id, reserved, backordered)
      group by c.order_id order by c.order_id
      on conflict (tenant_id, order_id) do update
      set reserved = s.reserved + excluded.reserved, backordered = s.backordered + excluded.backordered, previous_backordered = s.backordered
      returning s.order_id, s.reserved, s.backordered, s.previous_backordered
    )
    select s.order_id, o.order_tenant_id, o.warehouse_id, case when s.backordered > 0 then 'backordered' else 'reserved' end,
      case when s.previous_backordered > 0 then 'backordered' when s.previous_backordered = 0 then 'reserved' end,
      s.reserved, s.backordered, clock_timestamp()
    from stored s cross join lateral (
      select order_tenant_id, warehouse_id from orders where tenant_id = of_tenant and id = s.order_id limit 1
    ) o
    where phase <> 'collecting' and (s.backordered > 0) <> coalesce(s.previous_backordered > 0, false)
    order by s.order_id;
  end if;
end $$;

-- As in 0041_left_of_holds.sql, but that a hold which was active when the statement began counts for its order, as settling does.
create or replace function judge_orders(
  of_tenant bigint, order_numbers bigint[], identifiers text[], order_holds bigint[],
  line_calls integer[], line_orders bigint[], line_products bigint[], line_warehouses bigint[], line_quantities integer[], may_be_backordered boolean[]
) returns table (order_number bigint, line_position integer, available numeric)
language plpgsql volatile set enable_seqscan = off as $$
declare
  existing bigint[];
  -- By line: its product and warehouse, the hold of its order, and what that has of the product, as positions in the lists below.
  pairs integer[];
  holds_of_lines bigint[];
  owned integer[];
  -- By product and warehouse: what is there for new orders. Negative while somebody waits.
  free numeric[];
  -- By hold and product: what is left of it.
  kept_holds bigint[];
  kept_pairs integer[];
  kept numeric[];
  used_holds bigint[] := '{}';
  before_order record;
  before_call record;
  is_short boolean := false;
  has_failed boolean := false;
  place integer := 0;
  own numeric;
  -- The holds that orders may take over.
  active_holds bigint[];
  this_pair integer;
begin
  if line_orders is null then return; end if;
  select coalesce(array_agg(l.id) filter (where l.state = 'active' and l.expires_at > statement_timestamp()), '{}') into active_holds
  from (
    select h.id, h.state, h.expires_at from holds h
    where h.tenant_id = of_tenant and h.id = any (order_holds) order by h.id for no key update
  ) l;
  perform lock_totals(of_tenant, line_products || h.products, line_warehouses || h.warehouses)
  from (
    select array_agg(l.product_id) as products, array_agg(l.warehouse_id) as warehouses
    from hold_lines l where l.tenant_id = of_tenant and l.hold_id = any (order_holds)
  ) h;
  if not exists (
    select from tenant_settings where tenant_id = of_tenant and reservation_policy = 'strict' and reservation_phase = 'ready'
  ) then return; end if;
  select coalesce(array_agg(n.number), '{}') into existing
  from unnest(order_numbers, identifiers) n (number, identifier)
  where exists (select from orders where tenant_id = of_tenant and order_tenant_id = n.identifier);
  -- What settling would leave: expired holds are dropped, and backordered lines are served before new ones.
  select array_agg(w.quantity - w.unsellable - w.reserved - w.backordered + coalesce(e.quantity, 0) order by p.product_id, p.warehouse_id)
  into free
  from (select distinct l.product_id, l.warehouse_id from unnest(line_products, line_warehouses) l (product_id, warehouse_id)) p
  cross join lateral (
    select * from warehouse_stock where tenant_id = of_tenant and product_id = p.product_id and warehouse_id = p.warehouse_id limit 1
  ) w
  left join lateral (
    select sum(reserved) as quantity from hold_lines
    where w.held > 0 and tenant_id = of_tenant and product_id = p.product_id and warehouse_id = p.warehouse_id
      and reserved > 0 and expires_at <= clock_timestamp() and not hold_id = any (active_holds)
  ) e on true;
  with line as materialized (
    select l.number, l.product_id, l.warehouse_id, dense_rank() over (order by l.product_id, l.warehouse_id) as pair, o.hold_id
    from unnest(line_orders, line_products, line_warehouses) with ordinality l (order_number, product_id, warehouse_id, number)
    join unnest(order_numbers, order_holds) o (order_number, hold_id) using (order_number)
  ), kept_line as materialized (
    select row_number() over () as position, k.*
    from (
      select l.hold_id, l.product_id, l.warehouse_id, sum(l.reserved) as quantity
      from unnest(active_holds) h (id) cross join lateral (
        select hold_id, product_id, warehouse_id, reserved from hold_lines
        where tenant_id = of_tenant and hold_id = h.id and reserved > 0 offset 0
      ) l
      group by l.hold_id, l.product_id, l.warehouse_id
    ) k
  )
  select l.pairs, l.hold_ids, l.owned, k.hold_ids, k.pairs, k.quantities into pairs, holds_of_lines, owned, kept_holds, kept_pairs, kept
  from (
    select array_agg(l.pair order by l.number) as pairs, array_agg(l.hold_id order by l.number) as hold_ids,
      array_agg(k.position order by l.number) as owned
    from line l left join kept_line k using (hold_id, product_id, warehouse_id)
  ) l, (
    select coalesce(array_agg(k.hold_id order by k.position), '{}') as hold_ids, array_agg(l.pair order by k.position) as pairs,
      array_agg(k.quantity order by k.position) as quantities
    from kept_line k left join (select distinct product_id, warehouse_id, pair from line) l using (product_id, warehouse_id)
  ) k;
  select free, kept, used_holds as used into before_order;
  before_call := before_order;
  for i in 1..cardinality(line_orders) loop
    if i > 1 and line_orders[i] <> line_orders[i - 1] then
      if is_short then
        free := before_order.free;
        kept := before_order.kept;
        used_holds := before_order.used;
      elsif holds_of_lines[i - 1] is not null and not holds_of_lines[i - 1] = any (used_holds) and not line_orders[i - 1] = any (existing) then
        -- What the order before leaves of its hold is free.
        used_holds := used_holds || holds_of_lines[i - 1];
        for k in 1..cardinality(kept_holds) loop
          if kept_holds[k] = holds_of_lines[i - 1] and kept_pairs[k] is not null then
            free[kept_pairs[k]] := free[kept_pairs[k]] + kept[k];
          end if;
        end loop;
      end if;
      if line_calls[i] <> line_calls[i - 1] then
        if has_failed then
          free := before_call.free;
          kept := before_call.kept;
          used_holds := before_call.used;
        end if;
        select free, kept, used_holds as used into before_call;
        has_failed := false;
      end if;
      select free, kept, used_holds as used into before_order;
      is_short := false;
      place := 0;
    end if;
    if not line_orders[i] = any (existing) then
      this_pair := pairs[i];
      own := 0;
      if owned[i] is not null and not holds_of_lines[i] = any (used_holds) then
        own := least(kept[owned[i]], line_quantities[i]);
        kept[owned[i]] := kept[owned[i]] - own;
      end if;
      if line_quantities[i] > own + greatest(free[this_pair], 0) and not may_be_backordered[i] then
        is_short := true;
        has_failed := true;
        order_number := line_orders[i];
        line_position := place;
        available := own + greatest(free[this_pair], 0);
        return next;
      end if;
      free[this_pair] := free[this_pair] - (line_quantities[i] - own);
    end if;
    place := place + 1;
  end loop;
end $$;
