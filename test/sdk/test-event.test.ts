import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { verifyWebhook, type WebhookTopic } from '@fulfillment/sdk/webhooks'
import { signWebhook, testEvent } from '@fulfillment/sdk/webhooks/testing'

const document = JSON.parse(readFileSync(new URL('../../openapi/openapi.json', import.meta.url), 'utf8'))
const topics = Object.keys(document.webhooks) as WebhookTopic[]

describe('testEvent', () => {
  test.each(topics)('makes an event of %s with all the fields that the document requires', (topic) => {
    const event = testEvent(topic)
    const name = document.webhooks[topic].post.requestBody.content['application/json'].schema.$ref.split('/').pop()
    const { required, properties } = document.components.schemas[name]
    expect(Object.keys(event).toSorted()).toEqual(required.toSorted())
    expect(Object.keys(event.data)).toEqual(expect.arrayContaining(properties.data.required))
    expect(event.event).toBe(topic)
    expect(Date.now() - Date.parse(event.created_at)).toBeLessThan(60_000)
  })

  test('gives each event an id of its own, and takes data of yours', () => {
    const first = testEvent('order/created', { order_tenant_id: 'SO-7' })
    const second = testEvent('order/created')
    expect(first.data).toEqual({ ...second.data, order_tenant_id: 'SO-7' })
    expect(first.id).toMatch(/^evt_test_/)
    expect(first.id).not.toBe(second.id)
  })

  test('hands out copies', () => {
    testEvent('order/updated').data.updated_fields.push('tampered')
    expect(testEvent('order/updated').data.updated_fields).not.toContain('tampered')
  })
})

describe('signWebhook', () => {
  const body = '{"id":"evt_1","name":"Zoë"}'

  test('signs as the service does', async () => {
    const expected = createHmac('sha256', 'whsec_eA==').update(`1769860800.${body}`).digest('hex')
    expect(await signWebhook(body, 'whsec_eA==', new Date('2026-01-31T12:00:00.999Z'))).toBe(`t=1769860800,v1=${expected}`)
  })

  test('signs for the present, so that the header verifies', async () => {
    for (const raw of [body, new TextEncoder().encode(body)]) {
      expect(await verifyWebhook(raw, await signWebhook(raw, 'whsec_eA=='), 'whsec_eA==')).toEqual(JSON.parse(body))
    }
  })
})
