/** The version of the contract; the path's `v1` is its major part. */
export const API_VERSION = '1.0.0'

const INTRODUCTION = `An API for shops and warehouses: product catalog, stock per location, orders, picking, and webhooks for every change.

## Requests

- Send JSON with \`Content-Type: application/json\`. All paths start with \`/api/v1\`.
- Timestamps are ISO 8601 in UTC, such as \`2026-11-21T09:30:00.000Z\`. Dates are \`YYYY-MM-DD\` and refer to days in UTC.
- Unknown fields and query parameters are ignored. A known query parameter in an unsupported form, such as \`state_id[]=1\`, returns a \`validation_error\` that names the supported form.
- Quantities have at most 3 decimal places.

## Authentication

Send an API key in the header \`X-API-Key\`. A key gives access to the data of one tenant. It has scopes, such as \`read:orders\`. Each operation names its required scope; \`admin\` grants all scopes. A key can have an expiration and a list of allowed IP addresses.

Live keys start with \`service_live_\`. Test keys start with \`service_test_\` and work in the tenant's sandbox: the same operations on separate data. Live and test data never mix.

## Responses and errors

A successful response has status 200 and \`{ "success": true, "data": … }\`. An error has a 4xx or 5xx status and \`{ "success": false, "error": { "code", "message", "details"? } }\`. Branch on \`code\`; \`message\` is for people and can change. \`details\` names each invalid field (\`path\`), or each invalid item of a submitted array (\`index\`). The schema \`ErrorCode\` lists all codes.

Every response has an \`X-Request-Id\`, which also appears in the service's logs. You can send your own: 1 to 128 letters, digits and \`._:-\`. Include it when you report a problem.

## Pagination

Most lists take \`page\` (default 1) and \`limit\` (default 50, maximum 100; higher values are treated as 100). \`pagination\` has the exact \`total\` and \`total_pages\`. Other lists take \`cursor\` and \`limit\` instead: pass the \`next_cursor\` of a response as \`cursor\` to get the next page.

## Idempotent requests

Send an \`Idempotency-Key\` of 1 to 255 characters, such as a UUID, with POST, PUT and DELETE. For 24 hours, the same key with the same request returns the first response again, with \`Idempotency-Replayed: true\`, and changes nothing. The same key with a different request, or while the first request is still running, is \`idempotency_conflict\` (409). Only successful responses are stored: after an error, you can use the key again.

## Rate limits

The default limits are 600 requests a minute per key, and ten times that for all keys of a tenant together. \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` describe the limit with fewer requests left. Beyond a limit, requests get 429 \`rate_limit_exceeded\`. Wait for the number of seconds in \`Retry-After\`, also after 503 \`service_unavailable\`.

## Webhooks

Subscribe to topics with \`POST /webhooks\`. The service sends each event to your URL as a signed POST. Acknowledge it with a 2xx status within 15 seconds. Otherwise the service retries the delivery, with at most 12 attempts over about three days.

- **Verify the signature.** \`X-Webhook-Signature\` is \`t=<unix time>,v1=<hex>\`: HMAC-SHA256 of \`<t>.<raw body>\` with the signing secret. Reject the request if \`t\` is more than 300 seconds off, and compare signatures in constant time. For 24 hours after a secret rotation there are several \`v1\` signatures: accept the request if one of them matches.
- **Process each event once.** An event can arrive more than once, always with the same \`id\`. Store the ids of processed events. An id that begins with \`evt_test_\` belongs to a test call with sample data: acknowledge the event and ignore it.
- **Do not rely on the order of deliveries.** A retry arrives after later events. \`GET /events\` lists the events of the last 30 days; events of one order, picking flow, product or stock level are in the order they happened. Use it to catch up.

## Additions

This service implements a published API specification. Operations marked "Addition" are not part of that specification. Avoid them in clients that must also work with other implementations. Responses can have fields that the specification does not define; new fields can be added at any time.`

export const INFO = {
  title: 'Fulfillment and Inventory API',
  version: API_VERSION,
  summary: 'Catalog, stock per location, orders, picking and signed webhooks for many tenants.',
  description: INTRODUCTION,
  license: { name: 'MIT', identifier: 'MIT' },
  contact: { name: 'Fulfillment and Inventory Service', url: 'https://github.com/fulfillment/fulfillment' },
}
