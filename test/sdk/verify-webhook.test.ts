import { createHmac } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { FulfillmentError } from '@fulfillment/sdk'
import { verifyWebhook, WebhookVerificationError } from '@fulfillment/sdk/webhooks'
import { verifyWebhookSync } from '@fulfillment/sdk/webhooks/node'
import { rejection } from './client.ts'

const SECRET = 'whsec_dGhpcyBpcyBhIHNlY3JldCBmb3IgdGVzdHM='
const OTHER = 'whsec_b3RoZXI='
const BODY =
  '{"id":"evt_1","event":"order/created","created_at":"2026-01-31T12:00:00.000Z","data":{"order_id" : 7, "customer":"Zoë ☕"}}'
const NOW = new Date('2026-01-31T12:00:00Z')
const T = NOW.getTime() / 1_000

// Made with `openssl dgst -sha256 -hmac`, so that the test does not share a mistake with the code.
const V1 = 'f3a9f8f976bb3afcf2c3b30b8595d2f60f0af120d58312762af4597b5027b6fa'

/** The service's signature, computed without the package. */
function hmac(body: string | Buffer, secret = SECRET, t: number | string = T): string {
  return createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')
}

function header(body: string | Buffer = BODY, t: number | string = T): string {
  return `t=${t},v1=${hmac(body, SECRET, t)}`
}

const verifiers = [
  ['verifyWebhook', verifyWebhook],
  ['verifyWebhookSync', async (...args: Parameters<typeof verifyWebhookSync>) => verifyWebhookSync(...args)],
] as const

describe.each(verifiers)('%s', (_, verify) => {
  const reasonOf = async (...args: Parameters<typeof verifyWebhook>) => {
    const [body, signature, secret, options] = args
    const error = await rejection(verify(body, signature, secret, { now: NOW, ...options }))
    expect(error).toBeInstanceOf(WebhookVerificationError)
    expect(error).toBeInstanceOf(FulfillmentError)
    return error as WebhookVerificationError
  }

  test('returns the event of a request signed by the service', async () => {
    const event = await verify(BODY, `t=${T},v1=${V1}`, SECRET, { now: NOW })
    expect(event).toEqual(JSON.parse(BODY))
  })

  test.each([
    ['text', BODY],
    ['a Buffer', Buffer.from(BODY)],
    ['bytes', new TextEncoder().encode(BODY)],
    ['bytes in a larger buffer', Buffer.from(`xx${BODY}yy`).subarray(2, -2)],
    ['an ArrayBuffer', new TextEncoder().encode(BODY).buffer],
    ['an ArrayBuffer of another realm', foreignBuffer(BODY)],
  ])('takes the body as %s', async (_name, body) => {
    expect(await verify(body, header(), SECRET, { now: NOW })).toMatchObject({ id: 'evt_1' })
  })

  test('uses the current time by default', async () => {
    const t = Math.floor(Date.now() / 1_000)
    expect(await verify(BODY, header(BODY, t), SECRET)).toMatchObject({ id: 'evt_1' })
  })

  test('accepts several secrets, and several signatures after a rotation', async () => {
    const rotated = `t=${T},v1=${hmac(BODY, OTHER)},v1=${hmac(BODY)}`
    expect(await verify(BODY, rotated, SECRET, { now: NOW })).toMatchObject({ id: 'evt_1' })
    expect(await verify(BODY, rotated, [OTHER, 'whsec_third'], { now: NOW })).toMatchObject({ id: 'evt_1' })
    expect(await verify(BODY, header(), ['whsec_third', SECRET], { now: NOW })).toMatchObject({ id: 'evt_1' })
  })

  test('accepts upper-case digits and a header in an array, and ignores unknown schemes', async () => {
    expect(await verify(BODY, `t=${T},v1=${hmac(BODY).toUpperCase()}`, SECRET, { now: NOW })).toMatchObject({ id: 'evt_1' })
    expect(await verify(BODY, [header()], SECRET, { now: NOW })).toMatchObject({ id: 'evt_1' })
    expect(await verify(BODY, `v0=x,${header()},v2=abc=`, SECRET, { now: NOW })).toMatchObject({ id: 'evt_1' })
  })

  test.each([
    ['the body', BODY.replace('7', '8'), header(), SECRET],
    ['the time', BODY, header().replace(`t=${T}`, `t=${T + 1}`), SECRET],
    ['the signature', BODY, `t=${T},v1=${hmac(BODY).replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))}`, SECRET],
    [
      'the first digit of the signature',
      BODY,
      `t=${T},v1=${hmac(BODY).replace(/^./, (digit) => (digit === '0' ? '1' : '0'))}`,
      SECRET,
    ],
    ['the secret', BODY, header(), OTHER],
  ])('refuses a request with %s changed', async (_name, body, signature, secret) => {
    expect(await reasonOf(body, signature, secret)).toMatchObject({ reason: 'signature_mismatch' })
  })

  test('uses the digits of the timestamp as signed', async () => {
    expect(await verify(BODY, header(BODY, `0${T}`), SECRET, { now: NOW })).toMatchObject({ id: 'evt_1' })
    expect(await reasonOf(BODY, `t=0${T},v1=${hmac(BODY)}`, SECRET)).toMatchObject({ reason: 'signature_mismatch' })
  })

  test('mentions a secret without whsec_', async () => {
    const { message } = await reasonOf(BODY, header(), SECRET.replace('whsec_', ''))
    expect(message).toContain('A secret begins with whsec_')
    expect((await reasonOf(BODY, header(), OTHER)).message).not.toContain('whsec_')
  })

  test.each([[undefined], [null], [''], [[]]])('says that the header %j is missing', async (signature) => {
    expect(await reasonOf(BODY, signature, SECRET)).toMatchObject({ reason: 'missing_header' })
  })

  test.each([
    'nonsense',
    `t=${T}`,
    `v1=${V1}`,
    `t=,v1=${V1}`,
    `t=${T},v1=`,
    `t=${T},v1=${V1.slice(1)}`,
    `t=${T},v1=${V1}0`,
    `t=${T},v1=${V1.slice(1)}g`,
    `t=${T}, v1=${V1}`,
    `t=${T};v1=${V1}`,
    `t=${T},v1=${V1},`,
    `t=${T},t=${T},v1=${V1}`,
    `t=-${T},v1=${V1}`,
    `t=1e9,v1=${V1}`,
    `t=${T}.5,v1=${V1}`,
    `t=${'9'.repeat(12)},v1=${V1}`,
    `T=${T},V1=${V1}`,
    `sha256=${V1}`,
  ])('says that the header %j is malformed', async (signature) => {
    expect(await reasonOf(BODY, signature, SECRET)).toMatchObject({ reason: 'malformed_header' })
  })

  test.each([
    ['all headers', new Headers({ 'X-Webhook-Signature': header() })],
    ['an object', { 'x-webhook-signature': header() }],
    ['a number', 5],
    ['false', false],
    ['an array of something else', [{ toString: null }]],
  ])('says what to pass when the header is %s', async (_name, signature: unknown) => {
    expect(await reasonOf(BODY, signature as string, SECRET)).toMatchObject({
      reason: 'malformed_header',
      message: expect.stringContaining('Pass the value of X-Webhook-Signature'),
    })
  })

  test('rejects two headers, because one could be forged', async () => {
    expect(await reasonOf(BODY, [header(), header()], SECRET)).toMatchObject({ reason: 'malformed_header' })
  })

  test.each([
    [-300, undefined],
    [-301, 'timestamp_too_old'],
    [-86_400, 'timestamp_too_old'],
    [300, undefined],
    [301, 'timestamp_in_future'],
    [86_400, 'timestamp_in_future'],
  ])('judges a time %i seconds off: %s', async (seconds, reason) => {
    const signature = header(BODY, T + seconds)
    const outcome = reason
      ? (await reasonOf(BODY, signature, SECRET)).reason
      : (await verify(BODY, signature, SECRET, { now: NOW }), undefined)
    expect(outcome).toBe(reason)
  })

  test('names both times if they differ', async () => {
    const { message } = await reasonOf(BODY, header(BODY, T - 3_600), SECRET)
    expect(message).toContain("Signed at 2026-01-31T11:00:00.000Z, 3600 s before this machine's clock, 2026-01-31T12:00:00.000Z")
  })

  test('accepts a tolerance, and rejects every request if it is NaN', async () => {
    const signature = header(BODY, T - 10)
    expect(await verify(BODY, signature, SECRET, { now: NOW, toleranceSeconds: 10 })).toMatchObject({ id: 'evt_1' })
    expect(await reasonOf(BODY, signature, SECRET, { toleranceSeconds: 9 })).toMatchObject({ reason: 'timestamp_too_old' })
    expect(await reasonOf(BODY, header(), SECRET, { toleranceSeconds: Number.NaN })).toMatchObject({
      reason: 'timestamp_too_old',
    })
  })

  test.each([
    ['an object', JSON.parse(BODY)],
    ['missing', undefined],
    ['null', null],
    ['an array', [BODY]],
    ['a number', 5],
  ])('says that a body that is %s is not raw', async (_name, body) => {
    expect(await reasonOf(body as string, header(), SECRET)).toMatchObject({ reason: 'body_not_raw' })
  })

  test('mentions a body that was not awaited', async () => {
    const { reason, message } = await reasonOf(Promise.resolve(BODY) as unknown as string, header(), SECRET)
    expect([reason, message]).toEqual(['body_not_raw', expect.stringContaining('not read yet')])
  })

  test('reports a re-serialized body if that is certain', async () => {
    const sent = JSON.stringify(JSON.parse(BODY))
    const rewritten = JSON.stringify(JSON.parse(sent), null, 2)
    expect(await reasonOf(rewritten, header(sent), SECRET)).toMatchObject({
      reason: 'body_not_raw',
      message: expect.stringContaining('written anew'),
    })
  })

  test.each([
    [''],
    [' '],
    [`${SECRET}\n`],
    [` ${SECRET}`],
    ['whsec_a b'],
    [undefined],
    [null],
    [[]],
    [[SECRET, '']],
    [[SECRET, undefined]],
    [5],
    [{ length: 1 }],
    [(id: string) => id],
  ])('says that the secret %j is none', async (secret) => {
    const { reason, message } = await reasonOf(BODY, header(), secret as string)
    expect(reason).toBe('invalid_secret')
    expect(message).not.toContain(SECRET)
  })

  test.each([
    ['text', 'not JSON'],
    ['empty', ''],
    ['not UTF-8', Buffer.from('{"id":"\xff"}', 'latin1')],
  ])('says that a signed body that is %s is no JSON', async (_name, body) => {
    expect(await reasonOf(body, header(body), SECRET)).toMatchObject({ reason: 'invalid_json' })
  })

  test('never quotes the secret', async () => {
    const errors = [
      await reasonOf(BODY, header(), OTHER),
      await reasonOf('{}', header(), OTHER),
      await reasonOf(BODY, 'x', OTHER),
    ]
    expect(errors.map(({ message, stack }) => message + stack).join()).not.toContain(OTHER)
  })
})

function foreignBuffer(text: string): ArrayBuffer {
  const bytes = runInNewContext(`new Uint8Array([${[...Buffer.from(text)].join()}])`) as Uint8Array<ArrayBuffer>
  return bytes.buffer
}
