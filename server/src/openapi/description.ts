/** The version of the contract; the path's `v1` is its major part. */
export const API_VERSION = '1.0.0'

const INTRODUCTION = `Keep a product catalog, set and adjust stock per location, submit orders, pick them, and receive every change by webhook.

## Requests

- Send JSON with \`Content-Type: application/json\`. Every path below starts with \`/api/v1\`.
- Timestamps are ISO 8601 in UTC, such as \`2026-11-21T09:30:00.000Z\`. Dates are \`YYYY-MM-DD\`; a day begins and ends in UTC.
- Fields and query parameters that an operation does not have are ignored. A query parameter that it has, in a form that it does not understand (\`state_id[]=1\`), is a \`validation_error\` that says the right form.
- Quantities have at most 3 decimal places.

## Authentication

Send an API key in the header \`X-API-Key\`. A key belongs to one tenant and reaches the data of that tenant only. It has scopes, such as \`read:orders\`; each operation names the scope that it needs, and \`admin\` grants all of them. A key may have an expiry date and a list of addresses that may use it.

A key that starts with \`service_test_\` works in the tenant's sandbox: the same operations on separate data. Live keys start with \`service_live_\`; live and test data never mix.

## Answers and errors

A success is HTTP 200 with \`{ "success": true, "data": … }\`. A failure has another status and \`{ "success": false, "error": { "code", "message", "details"? } }\`. Branch on \`code\`; \`message\` is for people and may change. \`details\` names each wrong field (\`path\`), or each wrong order of a submitted array (\`index\`). The schema \`ErrorCode\` lists every code.

Every answer has an \`X-Request-Id\`. Send one of your own, 1 to 128 letters, digits and \`._:-\`, to find the call in logs; name it when you report a problem.

## Pages

Lists take \`page\` (default 1) and \`limit\` (default 50, maximum 100; more is served as 100). \`pagination\` has the exact \`total\` and \`total_pages\`. Lists that grow without end take \`cursor\` and \`limit\` instead: pass the \`next_cursor\` of an answer as \`cursor\` for the next page.

## Repeating a call safely

Send an \`Idempotency-Key\` of 1 to 255 characters, such as a UUID, with POST, PUT and DELETE. For 24 hours the same key with the same request gives the first answer again, with \`Idempotency-Replayed: true\`, and changes nothing. The same key with another request, or while the first is still running, is \`idempotency_conflict\` (409). Only successful answers are kept: after a failure, the key may be used again.

## Rate limits

By default a key may make 600 requests a minute, and all keys of a tenant together ten times as many. \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` show whichever of the two limits leaves less. Past it the answer is 429 \`rate_limit_exceeded\`; wait for the seconds in \`Retry-After\`. Do the same after 503 \`service_unavailable\`.

## Webhooks

Subscribe with \`POST /webhooks\`. Every event is then sent to the subscribed address as a signed POST. Answer with a 2xx within 15 seconds to acknowledge it; otherwise it is sent again, up to 12 times over about three days.

- **Verify the signature.** \`X-Webhook-Signature\` is \`t=<unix time>,v1=<hex>\`: HMAC-SHA256 of \`<t>.<raw body>\` with the signing secret. Reject the request when \`t\` is more than 300 seconds off, and compare in constant time. For 24 hours after a rotation there are two \`v1\`: accept either.
- **Process each event once.** Delivery is at least once. The \`id\` is the same in every attempt: remember it.
- **Do not rely on the order of deliveries.** A retry arrives after later events. \`GET /events\` has the events of the last 30 days in order: those of one order, product or stock level are in the order in which they happened. Read it to catch up.

## Additions

This service follows a published API specification. An operation whose text says "Addition" is not part of that specification: only this service has it. Avoid additions in a client that must also work with other services of the specification. Answers may have fields that the specification does not have; new ones may be added at any time.`

export const INFO = {
  title: 'Fulfillment and Inventory API',
  version: API_VERSION,
  summary: 'Catalog, stock per location, orders, picking and signed webhooks for many tenants.',
  description: INTRODUCTION,
  license: { name: 'MIT', identifier: 'MIT' },
  contact: { name: 'Fulfillment and Inventory Service', url: 'https://github.com/fulfillment/fulfillment' },
}

export const TAGS = [
  {
    name: 'products',
    description:
      'The catalog. Products are matched by barcode and found by id or SKU. A deleted product becomes inactive and is kept.',
  },
  {
    name: 'stock',
    description: 'Stock levels per product and location, and their movements. A level is always the sum of its movements.',
  },
  { name: 'orders', description: "Orders to fulfil, identified by the client's own `order_tenant_id`." },
  { name: 'flows', description: 'Picking flows: operators pick the lines of an order from stock.' },
  { name: 'locations', description: 'Places for stock, each in one warehouse.' },
  { name: 'warehouses', description: 'Groups of locations.' },
  { name: 'webhooks', description: 'Subscriptions to events, and their deliveries.' },
  { name: 'events', description: 'Feed of all events of the last 30 days.' },
  { name: 'audit-log', description: 'Who changed what, when and from where.' },
  { name: 'api-keys', description: 'API keys of the tenant and of its sandbox.' },
]
