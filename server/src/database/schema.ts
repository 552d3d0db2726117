import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely'

/** Ids, counts and quantities arrive as numbers, timestamps as ISO 8601 strings in UTC: see the type parsers in `database.ts`. */
type Timestamp = ColumnType<string, string | Date | undefined, string | Date>
/** A timestamp column without a default. */
type GivenTimestamp = ColumnType<string, string | Date, string | Date>
type NullableTimestamp = ColumnType<string | null, string | Date | null | undefined, string | Date | null>

/** One entry of a delivery's log, as the API shows it. */
export interface Attempt {
  number: number
  trigger: 'schedule' | 'manual' | 'replay' | 'test'
  started_at: string
  duration_ms: number
  response_status: number | null
  response_body: string | null
  error: string | null
}

/** What an operator picked. */
interface PickSums {
  tenant_id: number
  operator_email: string
  picks: number
  units: number
  flows: number
  seconds: number
}

export interface Schema {
  shards: {
    id: Generated<number>
    url_ciphertext: Buffer | null
    first_tenant_id: number
    state: Generated<'active' | 'draining'>
    created_at: Timestamp
  }
  encryption_check: { id: number; ciphertext: Buffer }
  moved_tenants: {
    id: number
    sandbox_id: number
    shard_id: number
    state: Generated<'settled' | 'copying' | 'switching' | 'leaving' | 'returning'>
    other_id: number | null
    moves: number
    epoch: number
  }
  moved_keys: { key_hash: Buffer; of_tenant: number }
  tenant_fences: { id: number; sandbox_id: number; is_closed: boolean; epoch: number }
  move_marks: { tenant_id: number; mark: number }
  tenants: {
    id: GeneratedAlways<number>
    name: string
    sandbox_of: number | null
    demo_seed: number | null
    created_at: Timestamp
  }
  api_keys: {
    tenant_id: number
    id: GeneratedAlways<number>
    name: string
    key_hash: Buffer
    prefix: string
    scopes: string[]
    ip_whitelist: Generated<string[]>
    expires_at: NullableTimestamp
    created_at: Timestamp
    last_used_at: NullableTimestamp
    revoked_at: NullableTimestamp
  }
  warehouses: {
    tenant_id: number
    id: GeneratedAlways<number>
    name: string
    is_default: Generated<boolean>
    created_at: Timestamp
  }
  locations: {
    tenant_id: number
    id: string
    code: string
    name: string | null
    warehouse_id: number
    created_at: Timestamp
    pickable: Generated<boolean>
    sellable: Generated<boolean>
    pick_sequence: number | null
  }
  products: {
    tenant_id: number
    id: GeneratedAlways<number>
    barcode: string
    external_id: string | null
    name: string
    description: string | null
    category: string | null
    price: number | null
    cost: number | null
    weight: number | null
    width: number | null
    height: number | null
    depth: number | null
    sales_unit: Generated<number>
    weighable: Generated<boolean>
    photo_url: string | null
    minimum_threshold: number | null
    reorder_quantity: number | null
    pick_tolerance_percent: Generated<number>
    is_active: Generated<boolean>
    created_at: Timestamp
    updated_at: Timestamp
  }
  product_barcodes: {
    tenant_id: number
    barcode: string
    id: GeneratedAlways<number>
    product_id: number
    quantity: number
    name: string | null
    created_at: Timestamp
  }
  stock_levels: {
    tenant_id: number
    product_id: number
    location_id: string
    warehouse_id: number
    quantity: number
    previous_quantity: Generated<number>
    updated_at: Timestamp
    sellable: Generated<boolean>
  }
  warehouse_stock: {
    tenant_id: number
    product_id: number
    warehouse_id: number
    quantity: number
    previous_quantity: Generated<number>
    unsellable: Generated<number>
    reserved: Generated<number>
    held: Generated<number>
    backordered: Generated<number>
  }
  tenant_settings: {
    tenant_id: number
    reservation_policy: Generated<string>
    reservation_phase: Generated<string>
    reservation_switches: Generated<number>
    switching_until: Timestamp
    weight_barcodes: JSONColumnType<object[], string | undefined>
    updated_at: NullableTimestamp
  }
  order_reservations: {
    tenant_id: number
    order_id: number
    order_line_id: number
    product_id: number
    warehouse_id: number
    assembly_date: string
    reserved: number
    backordered: number
  }
  order_reservation_sums: {
    tenant_id: number
    order_id: number
    reserved: number
    backordered: number
    previous_backordered: number | null
  }
  holds: {
    tenant_id: number
    id: GeneratedAlways<number>
    reference: string
    content_hash: Buffer
    state: Generated<string>
    warehouse_id: number
    expires_at: GivenTimestamp
    order_id: number | null
    created_by: string
    created_at: Timestamp
    updated_at: Timestamp
    sent_hash: Buffer | null
  }
  hold_lines: {
    tenant_id: number
    hold_id: number
    line_number: number
    product_id: number
    warehouse_id: number
    quantity: number
    reserved: number
    expires_at: GivenTimestamp
  }
  unsettled_stock: { tenant_id: number; product_id: number; warehouse_id: number }
  orders: {
    tenant_id: number
    id: GeneratedAlways<number>
    order_tenant_id: string
    state_id: Generated<number>
    state_picking_id: number | null
    assembly_date: string
    customer_name: string | null
    shipping_address: string | null
    warehouse_id: number
    items_count: number
    total_quantity: number
    created_at: Timestamp
    updated_at: Timestamp
    has_shipments: boolean | null
  }
  order_lines: {
    tenant_id: number
    order_id: number
    id: GeneratedAlways<number>
    product_id: number
    barcode: string
    product_name: string
    quantity: number
    picked_quantity: Generated<number>
    picked_before_flow: Generated<number>
    pick_tolerance_percent: Generated<number>
    price: number | null
  }
  stock_movements: {
    tenant_id: number
    id: GeneratedAlways<number>
    product_id: number
    location_id: string
    movement_type: 'IN' | 'OUT' | 'TRANSFER' | 'ADJUSTMENT'
    quantity: number
    previous_quantity: number
    new_quantity: number
    reason: string | null
    user_id: number | null
    order_id: number | null
    created_at: Timestamp
    flow_id: number | null
    pick_id: string | null
  }
  product_count_changes: { tenant_id: number; is_active: boolean; change: number }
  product_totals: { tenant_id: number; is_active: boolean; count: number }
  stocked_count_changes: { tenant_id: number; warehouse_id: number; change: number }
  stocked_totals: { tenant_id: number; warehouse_id: number; count: number }
  order_count_changes: { tenant_id: number; created_day: string; assembly_date: string; state_id: number; change: number }
  order_totals: { tenant_id: number; state_id: number; count: number }
  order_month_counts: { tenant_id: number; created_month: string; state_id: number; count: number }
  order_counts: { tenant_id: number; created_day: string; state_id: number; count: number }
  order_assembly_counts: { tenant_id: number; assembly_date: string; created_day: string; state_id: number; count: number }
  movement_count_changes: {
    tenant_id: number
    created_day: string
    product_id: number
    location_id: string
    movement_type: string
    change: number
    created_hour: NullableTimestamp
    quantity: number | null
  }
  movement_product_hours: { tenant_id: number; product_id: number; at: GivenTimestamp; quantity: number }
  movement_level_hours: { tenant_id: number; product_id: number; location_id: string; at: GivenTimestamp; quantity: number }
  movement_hour_days: { tenant_id: number; day: string; count: number }
  movement_month_counts: { tenant_id: number; created_month: string; movement_type: string; count: number }
  movement_product_month_counts: {
    tenant_id: number
    product_id: number
    location_id: string
    created_month: string
    movement_type: string
    count: number
  }
  movement_location_month_counts: {
    tenant_id: number
    location_id: string
    created_month: string
    movement_type: string
    count: number
  }
  movement_counts: { tenant_id: number; created_day: string; movement_type: string; count: number }
  movement_product_counts: {
    tenant_id: number
    product_id: number
    location_id: string
    created_day: string
    movement_type: string
    count: number
  }
  movement_location_counts: { tenant_id: number; location_id: string; created_day: string; movement_type: string; count: number }
  picking_flows: {
    tenant_id: number
    id: GeneratedAlways<number>
    order_id: number
    state: Generated<'started' | 'completed' | 'cancelled'>
    operator_id: number | null
    operator_email: string
    first_operator_email: string | null
    items_to_pick: number
    total_quantity: number
    items_picked: Generated<number>
    total_quantity_picked: Generated<number>
    started_at: Timestamp
    completed_at: NullableTimestamp
    cancelled_at: NullableTimestamp
    cancellation_reason: string | null
    revision: Generated<number>
    batch_id: number | null
    slot: number | null
  }
  flow_batches: {
    tenant_id: number
    id: GeneratedAlways<number>
    reference: string | null
    sent_hash: Buffer
    content_hash: Buffer
    warehouse_id: number
    operator_email: string
    operator_id: number | null
    created_by: string
    created_at: Timestamp
  }
  picks: {
    tenant_id: number
    flow_id: number
    id: string
    product_id: number
    location_id: string
    quantity: number
    order_line_id: number | null
    lines: JSONColumnType<{ order_detail_id: number; taken: number }[]>
    movement_id: number
    created_at: GivenTimestamp
    undone_at: NullableTimestamp
    operator_email: string | null
    sent_name: string | null
  }
  pick_changes: PickSums & { at: GivenTimestamp }
  pick_hours: PickSums & { at: GivenTimestamp }
  pick_days: PickSums & { day: string }
  flow_assignments: { tenant_id: number; count: number }
  flow_count_changes: { tenant_id: number; state: string; change: number }
  flow_totals: { tenant_id: number; state: string; count: number }
  inbound: {
    tenant_id: number
    id: GeneratedAlways<number>
    reference: string | null
    sent_hash: Buffer
    content_hash: Buffer
    warehouse_id: number
    state: Generated<'expected' | 'receiving' | 'closed' | 'cancelled'>
    expected_at: string | null
    supplier: string | null
    note: string | null
    allow_over: boolean
    total_quantity: number
    total_received: Generated<number>
    line_count: number
    revision: Generated<number>
    created_by: string
    created_at: Timestamp
    updated_at: Timestamp
    closed_at: NullableTimestamp
    cancelled_at: NullableTimestamp
    cancellation_reason: string | null
  }
  inbound_lines: {
    tenant_id: number
    record_id: number
    id: GeneratedAlways<number>
    product_id: number
    warehouse_id: number
    quantity: number
    received: Generated<number>
    is_open: Generated<boolean>
  }
  inbound_receipts: {
    tenant_id: number
    record_id: number
    id: string
    product_id: number
    location_id: string
    quantity: number
    line_id: number | null
    sent_name: string
    operator_id: number | null
    lines: JSONColumnType<{ line_id: number; quantity: number }[]>
    movement_id: number
    created_at: GivenTimestamp
    undone_at: NullableTimestamp
  }
  returns: {
    tenant_id: number
    id: GeneratedAlways<number>
    reference: string | null
    sent_hash: Buffer
    content_hash: Buffer
    warehouse_id: number
    state: Generated<'expected' | 'receiving' | 'closed' | 'cancelled'>
    expected_at: string | null
    order_id: number | null
    order_tenant_id: string | null
    reason: string | null
    note: string | null
    allow_over: boolean
    total_quantity: number
    total_received: Generated<number>
    line_count: number
    revision: Generated<number>
    created_by: string
    created_at: Timestamp
    updated_at: Timestamp
    closed_at: NullableTimestamp
    cancelled_at: NullableTimestamp
    cancellation_reason: string | null
  }
  return_lines: {
    tenant_id: number
    record_id: number
    id: GeneratedAlways<number>
    product_id: number
    quantity: number
    received: Generated<number>
    reason: string | null
    restocked: Generated<number>
    quarantined: Generated<number>
    scrapped: Generated<number>
  }
  return_receipts: {
    tenant_id: number
    record_id: number
    id: string
    product_id: number
    location_id: string | null
    quantity: number
    line_id: number | null
    sent_name: string
    operator_id: number | null
    disposition: 'restock' | 'quarantine' | 'scrap'
    lines: JSONColumnType<{ line_id: number; quantity: number }[]>
    movement_id: number | null
    created_at: GivenTimestamp
    undone_at: NullableTimestamp
  }
  stock_counts: {
    tenant_id: number
    id: GeneratedAlways<number>
    reference: string | null
    sent_hash: Buffer
    content_hash: Buffer
    warehouse_id: number
    state: Generated<'counting' | 'review' | 'approved' | 'cancelled'>
    blind: boolean
    location_ids: string[] | null
    /** The driver's own parser reads the elements. */
    product_ids: string[] | null
    note: string | null
    lines_total: number
    lines_counted: Generated<number>
    lines_different: Generated<number>
    revision: Generated<number>
    created_by: string
    created_at: Timestamp
    updated_at: Timestamp
    approved_at: NullableTimestamp
    cancelled_at: NullableTimestamp
    cancellation_reason: string | null
  }
  stock_count_lines: {
    tenant_id: number
    record_id: number
    id: GeneratedAlways<number>
    product_id: number
    location_id: string
    counted: number | null
    expected: number | null
    counted_at: NullableTimestamp
    counted_before: number | null
    operator_id: number | null
    movement_id: number | null
  }
  stock_count_entries: {
    tenant_id: number
    record_id: number
    id: string
    line_id: number
    product_id: number
    location_id: string
    counted: number
    expected: number
    sent_name: string
    operator_id: number | null
    created_at: GivenTimestamp
  }
  shipments: {
    tenant_id: number
    id: GeneratedAlways<number>
    reference: string | null
    sent_hash: Buffer
    content_hash: Buffer
    order_id: number
    order_tenant_id: string
    warehouse_id: number
    state: Generated<'open' | 'shipped' | 'delivered' | 'cancelled'>
    total_quantity: Generated<number>
    line_count: Generated<number>
    created_by: string
    created_at: Timestamp
    updated_at: Timestamp
    shipped_at: NullableTimestamp
    delivered_at: NullableTimestamp
    cancelled_at: NullableTimestamp
    cancellation_reason: string | null
  }
  shipment_packages: {
    tenant_id: number
    record_id: number
    number: number
    weight: number | null
    width: number | null
    height: number | null
    depth: number | null
    carrier: string | null
    tracking_number: string | null
    tracking_url: string | null
    label_url: string | null
  }
  shipment_lines: {
    tenant_id: number
    record_id: number
    package_number: number
    id: GeneratedAlways<number>
    order_line_id: number
    product_id: number
    quantity: number
  }
  events: { tenant_id: number; id: string; topic: string; body: string; created_at: Timestamp }
  order_events: {
    tenant_id: number
    order_id: number
    created_at: GivenTimestamp
    event_id: string
    topic: string
    data: string | null
  }
  order_calls: {
    tenant_id: number
    name: string
    at: GivenTimestamp
    id: string
    operation: string
    key_name: string
    address: string
    request_id: string
    error: string | null
  }
  order_state_changes: {
    tenant_id: number
    order_id: number
    id: GeneratedAlways<number>
    at: GivenTimestamp
    state_id: number
    previous_state_id: number
    changed_by: string
    reason: string | null
  }
  deletion_progress: { tenant_id: Generated<number>; table_name: string; deleted_before: string; deleted_at: GivenTimestamp }
  event_outbox: {
    tenant_id: number
    event_id: string
    event_created_at: GivenTimestamp
    topic: string
    fanned_out_to: Generated<number>
  }
  outbox_set_aside: {
    tenant_id: number
    event_id: string
    event_created_at: GivenTimestamp
    topic: string
    error: string
    set_aside_at: Timestamp
  }
  deleted_subscriptions: { tenant_id: number; subscription_id: number; deleted_at: Timestamp }
  webhook_subscriptions: {
    tenant_id: number
    id: GeneratedAlways<number>
    name: string
    url: string
    events: string[]
    secret_ciphertext: Buffer
    previous_secret_ciphertext: Buffer | null
    previous_secret_expires_at: NullableTimestamp
    active: Generated<boolean>
    disabled_reason: 'gone' | 'failing' | 'paused' | 'moved' | null
    disabled_at: NullableTimestamp
    created_at: Timestamp
    updated_at: Timestamp
  }
  webhook_former_secrets: {
    tenant_id: number
    subscription_id: number
    id: GeneratedAlways<number>
    secret_ciphertext: Buffer
    expires_at: GivenTimestamp
  }
  webhook_lanes: {
    tenant_id: number
    subscription_id: number
    due_at: NullableTimestamp
    claimed_at: Timestamp
    owner: string | null
    owner_until: NullableTimestamp
    cap: Generated<number>
    held_until: NullableTimestamp
    failing_since: NullableTimestamp
    failed_attempts: Generated<number>
  }
  waiting_deliveries: {
    tenant_id: number
    subscription_id: number
    event_id: string
    event_created_at: GivenTimestamp
    topic: string
    state: Generated<'pending' | 'in_flight'>
    trigger: Generated<'schedule' | 'manual' | 'replay'>
    tries: Generated<number>
    next_attempt_at: GivenTimestamp
    created_at: GivenTimestamp
    attempts: Generated<Attempt[]>
    lease_until: NullableTimestamp
  }
  finished_deliveries: {
    tenant_id: number
    subscription_id: number
    event_id: string
    event_created_at: GivenTimestamp
    topic: string
    state: 'succeeded' | 'failed' | 'skipped'
    created_at: GivenTimestamp
    completed_at: GivenTimestamp
    attempts: Generated<Attempt[]>
  }
  /** A view of `waiting_deliveries` and `finished_deliveries`. */
  webhook_deliveries: {
    tenant_id: number
    subscription_id: number
    event_id: string
    event_created_at: GivenTimestamp
    topic: string
    state: 'pending' | 'in_flight' | 'succeeded' | 'failed' | 'skipped'
    next_attempt_at: NullableTimestamp
    created_at: GivenTimestamp
    completed_at: NullableTimestamp
    attempts: JSONColumnType<Attempt[]>
  }
  idempotency_keys: {
    tenant_id: number
    key: string
    request_hash: Buffer
    answer_ciphertext: Buffer
    created_at: Timestamp
  }
  sessions: {
    tenant_id: number
    id: GeneratedAlways<number>
    kind: 'dashboard' | 'device'
    token_hash: Buffer
    key_id: number
    mode: 'live' | 'test'
    device_name: string | null
    operator_id: number | null
    user_agent: string | null
    address: string
    created_at: Timestamp
    last_seen_at: Timestamp
    expires_at: GivenTimestamp
    ended_at: NullableTimestamp
    device_id: number | null
  }
  operators: {
    tenant_id: number
    id: GeneratedAlways<number>
    name: string
    email: string
    badge_hash: Buffer | null
    may_change_stock: Generated<boolean>
    is_active: Generated<boolean>
    created_at: Timestamp
  }
  devices: { tenant_id: number; id: GeneratedAlways<number>; secret_hash: Buffer; enrolled_at: Timestamp }
  device_operators: { tenant_id: number; operator_id: number; device_id: number; last_active_at: Timestamp }
  sign_in_codes: {
    tenant_id: number
    code_hash: Buffer
    key_id: number
    kind: 'dashboard' | 'device'
    device_name: string | null
    expires_at: GivenTimestamp
    used_at: NullableTimestamp
    mode: Generated<string>
  }
  usage_hours: {
    tenant_id: number
    at: GivenTimestamp
    key_id: number
    operation: string
    requests: number
    client_errors: number
    limited: number
    server_errors: number
  }
  delivery_hours: {
    tenant_id: number
    at: GivenTimestamp
    subscription_id: number
    succeeded: number
    failed: number
    durations: number[]
  }
  rate_limit_windows: { tenant_id: number; key_id: number; ends_at: GivenTimestamp; taken: number; granted: number }
  audit_log: {
    tenant_id: number
    at: GivenTimestamp
    id: string
    key_id: number
    key_name: string
    address: string
    request_id: string
    operation: string
    input: JSONColumnType<object>
    error: string | null
    surface: Generated<string>
    session_id: number | null
    operator_email: string | null
  }
  write_positions: {
    tenant_id: number
    key_id: number
    server_id: string
    position: number
    number: number
    expires_at: GivenTimestamp
  }
  replica_mark: { tenant_id: number; mark: string; made_at: GivenTimestamp; wanted_until: GivenTimestamp }
  replicated_mark: { tenant_id: number; mark: string }
}
