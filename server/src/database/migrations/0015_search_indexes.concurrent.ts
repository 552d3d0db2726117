import type { ConcurrentStep } from '../build-indexes.ts'

export const steps: ConcurrentStep[] = [
  // Indexes of products and orders by any three characters of their texts. New entries are first added to a list, which every search reads,
  // and moved to the index some thousand at a time: adding them one by one would make an order ten times as expensive.
  {
    index: 'products_by_text',
    table: 'products',
    definition: 'using gin (search_keys(tenant_id, name, barcode, external_id)) with (gin_pending_list_limit = 512)',
  },
  {
    index: 'orders_by_customer_name',
    table: 'orders',
    definition: 'using gin (search_keys(tenant_id, customer_name)) with (gin_pending_list_limit = 512)',
  },
  // The feed of one topic. A single text, so that no plan made while a partition is empty reads the events of all topics by the primary key.
  { index: 'events_by_topic', table: 'events', definition: `(tenant_id, (topic || ' ' || id))` },
  // Counts the products from before the triggers. Products and existing counts are read in one snapshot.
  {
    sql: `
      insert into product_count_changes (tenant_id, is_active, change)
      select tenant_id, is_active, sum(n) from (
        select tenant_id, is_active, count(*) as n from products group by tenant_id, is_active
        union all
        select tenant_id, is_active, -count from product_totals
        union all
        select tenant_id, is_active, -change from product_count_changes
      ) c
      group by tenant_id, is_active having sum(n) <> 0`,
  },
]
