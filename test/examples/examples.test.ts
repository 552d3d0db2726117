import { type ChildProcess, spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, vi } from 'vitest'
import { it } from '../support/it.ts'
import type { TestService } from '../support/service.ts'

/** Runs an example as a user would, and returns its output. `onStart` gets its process. */
async function run(
  service: TestService,
  example: string,
  key: string,
  onStart?: (child: ChildProcess) => unknown,
): Promise<{ exitCode: number; output: string }> {
  const file = fileURLToPath(new URL(`../../examples/${example}.ts`, import.meta.url))
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, FULFILLMENT_URL: service.url, FULFILLMENT_API_KEY: key },
  })
  const closed = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? 1)))
  const [output, errors, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), closed, onStart?.(child)])
  return { exitCode, output: output + errors }
}

it.for([
  [
    'quick-start',
    ['stock at A-01: 0 -> 25', 'orders created: 1, there before: 0', 'SHOP-1001 is Pending', 'ADJUSTMENT 25, then 25'],
  ],
  [
    'erp-stock-sync',
    ['100 created, 0 updated, 99 levels set', 'stock of ERP-42: quantity: must be at least 0', 'done, 1 item(s) to look at'],
  ],
  ['order-import', ['first import: 5 created', 'second import: 0 created, 5 there before', 'refused: order 1: assembly_date']],
  ['picking-session', ['2 lines, 4 to pick', '2 × Green tea 100 g from A-01, 1 left', '4 picked', 'is Completed']],
  [
    'batch-picking',
    [
      'batch of 3 slots, again: true',
      'missing: 1 × Mint tea 100 g',
      'B-09: 3 × Green tea 100 g into slot 1',
      'B-09: 1 × Green tea 100 g into slot 2',
      'B-04: 2 × Mint tea 100 g into slot 2',
      'B-04: 1 × Mint tea 100 g into slot 3',
      'the batch is completed',
      'slot 2: Completed',
      'slot 3: In Progress',
    ],
  ],
  [
    'cart-checkout',
    ['keeps 2 until', 'on hand: 3, held: 2, available: 1', 'refused: Order "cart-', 'is reserved', 'the hold is consumed'],
  ],
  [
    'receiving',
    [
      'is expected, again: true',
      'incoming: true, next on 2026-12-01',
      'received: 12 of 24, 0 of 10',
      'refused: Cannot receive 13: only 12 still to come',
      'closed with 22 of 34',
      'returned: 1 restocked, 1 scrapped',
    ],
  ],
  [
    'cycle-count',
    [
      '1 level to count, expected: null',
      'counted 38, expected 40, variance -2',
      'A-08 has 33',
      'since it was counted',
      'approved: A-08 has 31',
    ],
  ],
  [
    'packing',
    [
      '-1 is open, again: true',
      'the order is packing',
      'refused: nothing was picked of the mate',
      'shipped a part, the order is partial',
      '2 more packages, the order is shipped',
      '2 shipments arrived, the order is delivered',
    ],
  ],
  ['webhook-receiver', ['product', 'stock at A-02: 10 (stock_receipt)']],
] as const)('%s does what it says', async ([example, lines], { service, tenant: { key } }) => {
  const { exitCode, output } = await run(service, example, key)
  expect([exitCode, output]).toEqual([0, expect.any(String)])
  for (const line of lines) expect(output).toContain(line)
})

it('quick-start can be run twice', async ({ service, tenant: { key } }) => {
  await run(service, 'quick-start', key)
  const { exitCode, output } = await run(service, 'quick-start', key)
  expect([exitCode, output]).toEqual([0, expect.stringContaining('orders created: 0, there before: 1')])
})

it('cart-checkout leaves the policy as it was, and no hold, when it fails', async ({ service, tenant }) => {
  await tenant.request('PUT', '/settings', { reservation_policy: 'track' })
  // The barcode is another product's: the hold, by SKU, is made, and the order, by barcode, is refused.
  await tenant.request('POST', '/products', { name: 'Other', barcode: '4006381333962', sku: 'OTHER' })
  await tenant.request('POST', '/products', { name: 'White tea', barcode: 'white-tea', sku: 'CART-TEA' })
  const { exitCode, output } = await run(service, 'cart-checkout', tenant.key)
  expect([exitCode, output]).toEqual([1, expect.stringContaining('keeps 2 until')])
  expect((await tenant.request('GET', '/settings')).body.data.reservation_policy).toBe('track')
  expect((await tenant.request('GET', '/holds')).body.data.holds).toMatchObject([{ state: 'released' }])
})

it('cart-checkout leaves the policy as it was when it is stopped', async ({ service, tenant }) => {
  const policy = async () => (await tenant.request('GET', '/settings')).body.data.reservation_policy
  await run(service, 'cart-checkout', tenant.key, async (child) => {
    await vi.waitUntil(async () => (await policy()) === 'strict', { timeout: 20_000, interval: 5 })
    child.kill('SIGINT')
  })
  expect(await policy()).toBe('off')
})

it('cart-checkout says what to do about a policy that an earlier run left', async ({ service, tenant }) => {
  await tenant.request('PUT', '/settings', { reservation_policy: 'strict' })
  const { exitCode, output } = await run(service, 'cart-checkout', tenant.key)
  expect([exitCode, output]).toEqual([0, expect.stringContaining('was strict before')])
  expect((await tenant.request('GET', '/settings')).body.data.reservation_policy).toBe('strict')
})

it('webhook-receiver leaves no subscription behind when it fails', async ({ service, tenant }) => {
  const { exitCode } = await run(
    service,
    'webhook-receiver',
    await tenant.createKey({ scopes: ['read:webhooks', 'write:webhooks'] }),
  )
  expect(exitCode).toBe(1)
  expect((await tenant.request('GET', '/webhooks')).body.data.webhooks).toEqual([])
})

it('webhook-receiver leaves no subscription behind when it is stopped', async ({ service, tenant }) => {
  const subscriptions = async () => (await tenant.request('GET', '/webhooks')).body.data.webhooks
  await run(service, 'webhook-receiver', tenant.key, async (child) => {
    await vi.waitUntil(async () => (await subscriptions()).length > 0, { timeout: 20_000, interval: 5 })
    child.kill('SIGINT')
  })
  expect(await subscriptions()).toEqual([])
})
