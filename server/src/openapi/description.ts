/** The version of the contract; the path's `v1` is its major part. */
export const API_VERSION = '1.0.0'

export const INFO = {
  title: 'Fulfillment and Inventory API',
  version: API_VERSION,
  summary: 'Catalog, stock per location, orders, picking and signed webhooks for many tenants.',
  description: `Keep a product catalog, set and adjust stock per location, submit orders, fulfil them by picking, and be told of every change by webhook.

Every answer has an envelope: \`{ "success": true, "data": … }\` or \`{ "success": false, "error": { "code", "message", "details"? } }\`. Branch on \`code\`; \`message\` is for people.

Timestamps are ISO 8601 in UTC, dates \`YYYY-MM-DD\`. Unknown fields are ignored. Operations marked \`x-addition\` go beyond the published API specification.`,
  license: { name: 'MIT', identifier: 'MIT' },
  contact: { name: 'Fulfillment and Inventory Service', url: 'https://github.com/fulfillment/fulfillment' },
}

export const TAGS = [
  {
    name: 'products',
    description: 'The catalog. Products are matched by barcode, found by id or SKU, and never removed, only made inactive.',
  },
  {
    name: 'stock',
    description: 'Levels per product and location, and the movements that made them. A level is always the sum of its movements.',
  },
  { name: 'orders', description: 'Orders to be fulfilled, identified by the client with `order_tenant_id`.' },
  { name: 'flows', description: 'Picking: operators take what was ordered out of stock.' },
  { name: 'locations', description: 'Where stock lies.' },
  { name: 'warehouses', description: 'Groups of locations.' },
  { name: 'webhooks', description: 'Subscriptions to events, and their deliveries.' },
  { name: 'events', description: 'The feed of everything that happened in the last 30 days.' },
  { name: 'audit-log', description: 'Who changed what, when and from where.' },
  { name: 'api-keys', description: 'Keys of the tenant and of its sandbox.' },
]
