import { describe, expect } from 'vitest'
import { it as base } from './support/it.ts'
import { createSender } from '@fulfillment/server/delivery/sender.ts'
import { HostNameResolver } from '@fulfillment/server/delivery/index.ts'
import { isSpecialAddress } from '@fulfillment/server/delivery/targets/special-addresses.ts'
import type { TestTenant } from '../support/service.ts'
import { startNameServer } from './support/name-server.ts'

const it = base.extend('settings', { scope: 'file' }, { role: 'api', webhookAllowPrivateNetwork: false })

const SPECIAL_ADDRESSES = `
  0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 100.100.100.200 127.0.0.1 127.255.255.254
  168.63.129.16 169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.31.196.1
  192.52.193.1 192.88.99.1 192.168.0.1 192.168.255.255 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1
  224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1
  ::ffff:169.254.169.254 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::8.8.8.8 64:ff9b:1::1 100::1
  100:0:0:1::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1::1
  2002:a00:1:: 2620:4f:8000::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fdff:ffff::1 fe80::1 fe80::1%eth0 febf::1 fec0::1
  ff02::1 ff0e::1
`
  .trim()
  .split(/\s+/)

const PUBLIC_ADDRESSES = `
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 128.0.0.1 172.15.255.255 172.32.0.0 192.0.1.1
  192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255 168.63.129.17 2606:4700:4700::1111
  2a00:1450:4001:81b::200e 2001:200::1 2001:4860:4860::8888 2400:cb00::1
`
  .trim()
  .split(/\s+/)

/** Hosts of URLs with a special address, in all notations that URL parsers accept. */
const SPECIAL_HOSTS = `
  127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 017700000001 0177.0.0.1 127.0.0.1. 0 0x0 000.0.0.0
  %31%32%37.0.0.1 ①②⑦.0.0.1 127。0。0。1 3232235777 0xa9fea9fe 169.254.169.254 0251.0376.0251.0376 2852039166 10.1
  192.168.1 [::] [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:0a00:0001] [64:ff9b::127.0.0.1]
  [64:ff9b:1::a00:1] [fd00::1] [fe80::1] [2002:7f00:1::] [2001::1] [ff02::1] [::127.0.0.1] [0000::0001] localhost
  LOCALHOST localhost. app.localhost
`
  .trim()
  .split(/\s+/)

describe('an address', () => {
  it.each(SPECIAL_ADDRESSES)('%s is special', (address) => expect(isSpecialAddress(address)).toBe(true))
  it.each(PUBLIC_ADDRESSES)('%s is public', (address) => expect(isSpecialAddress(address)).toBe(false))
})

describe('a subscription where private networks are not allowed', () => {
  const subscribeTo = (tenant: TestTenant, url: string) => tenant.request('POST', '/webhooks', { name: 'x', url, events: ['*'] })

  it.for(SPECIAL_HOSTS.flatMap((host) => [`http://${host}/hook`, `https://${host}:8443/`]))(
    'is refused for %s',
    async (url, { tenant }) => {
      const { status, body } = await subscribeTo(tenant, url)
      expect([status, body.error.code, body.error.details]).toEqual([
        400,
        'validation_error',
        [{ path: 'url', error: expect.any(String) }],
      ])
    },
  )

  it.for([
    'http://8.8.8.8:22/',
    'http://8.8.8.8:25',
    'https://8.8.8.8:1',
    'http://8.8.8.8:1023',
    'http://8.8.8.8:0',
    'https://user@8.8.8.8/',
  ])('is refused for %s', async (url, { tenant }) => expect((await subscribeTo(tenant, url)).status).toBe(400))

  it.for([
    'http://8.8.8.8',
    'https://8.8.8.8:80/',
    'https://8.8.8.8:443',
    'http://8.8.8.8:1024/x?y=z',
    'https://[2606:4700::1]:65535/',
    'https://name-that-does-not-resolve.invalid/',
  ])('is made for %s', async (url, { tenant }) => expect((await subscribeTo(tenant, url)).status).toBe(200))

  it('is rejected for a forbidden address by an update and by the test call', async ({ service, tenant, receiver }) => {
    const { body } = await subscribeTo(tenant, 'https://8.8.8.8/')
    expect((await tenant.request('PUT', `/webhooks/${body.data.id}`, { url: 'http://127.0.0.1:8080/' })).status).toBe(400)
    await service.db.kysely
      .updateTable('webhook_subscriptions')
      .set({ url: receiver.url })
      .where('tenant_id', '=', tenant.id)
      .execute()
    const { body: test } = await tenant.request('POST', `/webhooks/${body.data.id}/test`)
    expect(test.data).toMatchObject({ state: 'failed', last_error: expect.stringContaining('special address') })
    expect(receiver.received).toEqual([])
  })
})

it('only https is accepted in production', async ({ startService }) => {
  const tenant = await (await startService({ role: 'api', production: true })).newTenant()
  const subscribeTo = async (url: string) => (await tenant.request('POST', '/webhooks', { name: 'x', url, events: ['*'] })).status
  expect(await subscribeTo('http://8.8.8.8/')).toBe(400)
  expect(await subscribeTo('https://8.8.8.8/')).toBe(200)
})

describe('a connection where private networks are not allowed', () => {
  const refused = { status: null, error: expect.stringContaining('special address') }

  async function post(url: string, addresses: readonly string[] = ['127.0.0.1']) {
    const nameServer = await startNameServer(() => [...addresses])
    const policy = { allowPrivateNetwork: false, requireHttps: false, names: new HostNameResolver([nameServer.address]) }
    const sender = createSender(policy, { timeLimitMs: 1_000 })
    const sent = await sender.post(url, {}, Buffer.from('{}'), 1)
    await sender.close()
    nameServer.close()
    return { sent, asked: nameServer.asked }
  }

  it.each(SPECIAL_HOSTS)('is not made to %s', async (host) => {
    expect((await post(`http://${host}:8080/`)).sent).toMatchObject(refused)
  })

  it.for([
    ['only special addresses', ['127.0.0.1']],
    ['both kinds, the public one first', ['8.8.8.8', '127.0.0.1']],
    ['both kinds, the special one first', ['::1', '2606:4700::1']],
  ] as const)('is not made to a name with %s', async ([, addresses], { receiver }) => {
    const { port } = new URL(receiver.url)
    expect((await post(`http://receiver.example:${port}/`, addresses)).sent).toMatchObject(refused)
    expect(receiver.received).toEqual([])
  })

  it('resolves the name once, so that the address cannot differ between check and use', async () => {
    const { asked } = await post('http://receiver.example:8080/', ['192.0.2.1'])
    expect(asked.toSorted()).toEqual(['A receiver.example', 'AAAA receiver.example'])
  })

  it('fails for a name without an address', async () => {
    expect((await post('http://receiver.example/', [])).sent).toMatchObject({
      status: null,
      error: expect.stringContaining('receiver.example'),
    })
  })
})
