// One integrator's day, in whatever runtime imports it: the modules of the package are handed in, so that ESM and CJS tell the same story.
export async function story({ sdk, webhooks, testing }, { baseUrl, apiKey, name }) {
  const client = new sdk.FulfillmentClient({ apiKey, baseUrl })
  const barcode = `smoke-${name}-${Date.now()}`

  const product = await client.products.create({ name: 'Green tea', barcode, sku: barcode })
  await client.stock.setLevel(product.id, { location_id: 'A-01', quantity: 25 })
  const order = { order_tenant_id: barcode, assembly_date: '2026-12-01', order_detail: [{ barcode, quantity: 2 }] }
  equal((await client.orders.create(order)).created_count, 1)
  equal((await client.orders.create(order)).existing_count, 1)

  const found = []
  for await (const one of client.orders.list({ order_tenant_id: barcode, limit: 1 })) found.push(one.order_tenant_id)
  equal(found.join(), barcode)

  const { data, requestId } = await client.stock.getBySku(barcode).withResponse()
  equal(data.total_quantity, 25)
  equal(typeof requestId, 'string')

  const error = await client.products.create({ name: 'Green tea', barcode }).catch((caught) => caught)
  equal(error instanceof sdk.APIError && error.code, 'already_exists')

  await reservations(sdk, client)
  await verification(webhooks, testing)
  // One class in all entries, or instanceof would fail for whoever mixes them.
  equal(sdk.WebhookVerificationError, webhooks.WebhookVerificationError)
  equal(sdk.verifyWebhook, webhooks.verifyWebhook)
}

/** A level is set only if it is what was seen, and stock is kept for a cart until its order takes it over. */
async function reservations({ APIError }, client) {
  const barcode = `smoke-cart-${Date.now()}`
  const { id } = await client.products.create({ name: 'Black tea', barcode, sku: barcode })
  await client.stock.setLevel(id, { location_id: 'A-01', quantity: 5, expected_quantity: 0 })
  const level = { location_id: 'A-01', quantity: 9, expected_quantity: 4 }
  const error = await client.stock.setLevel(id, level).catch((caught) => caught)
  equal(error instanceof APIError && `${error.code} ${error.details[0].current_quantity}`, 'quantity_conflict 5')

  await client.settings.update({ reservation_policy: 'track' })
  while ((await client.settings.get()).reservation_state !== 'ready') await new Promise((resolve) => setTimeout(resolve, 50))
  const hold = await client.holds.create({ reference: barcode, lines: [{ sku: barcode, quantity: 3 }] })
  equal((await client.holds.update(hold.id, { lines: [{ sku: barcode, quantity: 2 }] })).lines[0].reserved_quantity, 2)
  const order = { order_tenant_id: barcode, assembly_date: '2026-12-01', hold: barcode, order_detail: [{ barcode, quantity: 4 }] }
  equal((await client.orders.create(order)).orders[0].reservation_status, 'reserved')
  equal((await client.holds.get(hold.id)).state, 'consumed')

  const { availability } = await client.stock.availability({ sku: barcode })
  equal(availability.map((row) => `${row.on_hand} ${row.reserved} ${row.available}`).join(), '5 4 1')
  const { reservations: lines } = await client.stock.reservations({ product_id: id })
  equal(lines.map((line) => `${line.order_tenant_id} ${line.reserved_quantity}`).join(), `${barcode} 4`)
  const released = await client.holds.create({ reference: barcode, lines: [{ sku: barcode, quantity: 1 }] })
  equal((await client.holds.release(released.id)).state, 'released')
  await client.settings.update({ reservation_policy: 'off' })
}

async function verification({ fetchReceiver, verifyWebhook }, { signWebhook, testEvent }) {
  const secret = 'whsec_c21va2U='
  const event = testEvent('order/created')
  const body = JSON.stringify(event)
  const signature = await signWebhook(body, secret)
  equal((await verifyWebhook(body, signature, secret)).id, event.id)
  const error = await verifyWebhook(`${body} `, signature, secret).catch((caught) => caught)
  equal(error.reason, 'body_not_raw')

  const received = []
  const receive = fetchReceiver({ secret, onEvent: ({ id }) => void received.push(id) })
  const response = await receive(
    new Request('https://example.com', { method: 'POST', body, headers: { 'X-Webhook-Signature': signature } }),
  )
  equal(`${response.status} ${received.join()}`, `204 ${event.id}`)
}

/** Subscribes a receiver of its own, and waits for the event of a new product. */
export async function delivery({ sdk, node, http }, { baseUrl, apiKey, name }) {
  const client = new sdk.FulfillmentClient({ apiKey, baseUrl })
  let secret = ''
  let arrived = () => undefined
  const event = new Promise((resolve) => (arrived = resolve))
  const server = http.createServer((request, response) => void node.nodeReceiver({ secret, onEvent: arrived })(request, response))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))

  const url = `http://127.0.0.1:${server.address().port}/`
  const subscription = await client.webhooks.create({ name, url, events: ['product/created'] })
  secret = subscription.secret
  const barcode = `smoke-delivery-${name}-${Date.now()}`
  await client.products.create({ name: 'Black tea', barcode })
  const { event: topic, data } = await event
  equal(`${topic} ${data.barcode}`, `product/created ${barcode}`)
  await client.webhooks.delete(subscription.id)
  server.closeAllConnections?.()
  server.close()
}

function equal(actual, expected) {
  if (actual !== expected) throw new Error(`Expected ${String(expected)}, got ${String(actual)}`)
}
