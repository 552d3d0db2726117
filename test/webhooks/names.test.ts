import { execFileSync } from 'node:child_process'
import { lookup, Resolver } from 'node:dns/promises'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { it as base } from './support/it.ts'
import { readConfig } from '@fulfillment/server/config.ts'
import { HostsFile } from '@fulfillment/server/delivery/targets/hosts-file.ts'
import { LookupSlots } from '@fulfillment/server/delivery/targets/lookup-slots.ts'
import { HostNameResolver } from '@fulfillment/server/delivery/targets/host-name-resolver.ts'
import { deliveryWhen, subscribe, writeEvents } from './support/deliveries.ts'
import { startNameServer } from './support/name-server.ts'
import { until } from '../support/receiver.ts'
import { atMost } from '../support/patience.ts'

const it = base
  // Responds to queries for names that end with receiver.example, and to no other query.
  .extend('nameServer', { scope: 'file' }, async ({}, { onCleanup }) => {
    const nameServer = await startNameServer((name) => (name.endsWith('receiver.example') ? ['127.0.0.1'] : undefined))
    onCleanup(() => nameServer.close())
    return nameServer
  })
  .override('settings', ({ nameServer }) => ({
    role: 'api',
    webhookAllowPrivateNetwork: false,
    webhookDnsServers: [nameServer.address],
  }))

describe('while name servers do not respond', () => {
  it("twenty subscriptions of a tenant keep nothing else waiting, and four of them wait: the others' callers are told when to try again", async ({
    nameServer,
    service,
  }) => {
    const attacker = await service.newTenant()
    const other = await service.newTenant()
    const began = performance.now()
    const subscriptions = Array.from({ length: 20 }, (_, n) =>
      attacker.request('POST', '/webhooks', { name: 'x', url: `https://silent-${n}.example/`, events: ['*'] }),
    )
    await until(() => new Set(nameServer.asked.filter((question) => question.includes('silent'))).size >= 8, 'the questions')
    // The system's resolver and file reads use the process's I/O threads, so these must stay free.
    const durations: number[] = []
    for (let n = 0; n < 10; n++) {
      const start = performance.now()
      await lookup('localhost')
      expect((await other.request('GET', '/webhooks')).status).toBe(200)
      durations.push(performance.now() - start)
    }
    expect(durations.toSorted((a, b) => a - b)[5]).toBeLessThan(atMost(500))

    const responses = await Promise.all(subscriptions)
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(4)
    const refused = responses.filter(({ status }) => status === 503)
    expect(refused).toHaveLength(16)
    for (const { headers, body } of refused) {
      expect(headers.get('retry-after')).toBe('3')
      expect(body.error.code).toBe('service_unavailable')
    }
    // All lookups share one time limit; they do not wait one after another.
    expect(performance.now() - began).toBeLessThan(atMost(5_000))
  })

  it('a name that resolves to a special address is rejected', async ({ tenant }) => {
    const { status, body } = await tenant.request('POST', '/webhooks', {
      name: 'x',
      url: 'https://receiver.example/',
      events: ['*'],
    })
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('special address')])
  })

  it('another tenant’s deliveries to a host name arrive', async ({ nameServer, service, receiver, startWorker }) => {
    const { port } = new URL(receiver.url)
    const worker = startWorker({
      webhookTargets: { allowPrivateNetwork: true, requireHttps: false, names: new HostNameResolver([nameServer.address]) },
    })
    const attacker = await service.newTenant()
    const other = await service.newTenant()
    // IP addresses need no lookup when the subscriptions are created.
    for (let n = 0; n < 30; n++) await subscribe(attacker, 'https://8.8.8.8/')
    await service.db.dedicatedPool.query(
      `update webhook_subscriptions set url = 'http://dead-' || id || '.example/' where tenant_id = $1`,
      [attacker.id],
    )
    const { id } = await subscribe(other, 'https://8.8.8.8/')
    await service.db.dedicatedPool.query(`update webhook_subscriptions set url = $2 where tenant_id = $1`, [
      other.id,
      `http://receiver.example:${port}/`,
    ])
    await writeEvents(service, attacker, 3)
    worker.wake()
    await until(() => nameServer.asked.some((question) => question.includes('dead-')), 'the questions')
    await writeEvents(service, other, 1)
    worker.wake()
    const delivery = await deliveryWhen(other, id, ({ state }) => state === 'succeeded')
    expect(delivery.attempts[0].duration_ms).toBeLessThan(atMost(1_000))
  })
})

describe('a name', () => {
  it('is looked up in the hosts file, which is read again after a change', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'fulfillment-hosts-'))
    const file = path.join(folder, 'hosts')
    const hosts = new HostsFile(file)
    expect(hosts.addressesOf('erp')).toBeUndefined()
    await writeFile(file, '# a comment\n10.0.0.1 erp ERP.local # and another\n\nfe80::1\terp\nnonsense erp\n')
    await delay(1_050)
    expect(hosts.addressesOf('erp')).toEqual(['10.0.0.1', 'fe80::1'])
    expect(hosts.addressesOf('erp.local')).toEqual(['10.0.0.1'])
    await writeFile(file, '10.0.0.2 erp\n')
    await delay(1_050)
    expect(hosts.addressesOf('erp')).toEqual(['10.0.0.2'])
    expect(hosts.addressesOf('erp.local')).toBeUndefined()
    await rm(folder, { recursive: true })
  })

  it('under localhost resolves to the loopback address without a query', async ({ nameServer }) => {
    const asked = nameServer.asked.length
    const names = new HostNameResolver([nameServer.address])
    expect(await names.resolveInTurn('localhost', 1)).toContain('127.0.0.1')
    expect(await names.resolveInTurn('Shop.LocalHost.', 1)).toEqual(['127.0.0.1', '::1'])
    expect(nameServer.asked).toHaveLength(asked)
  })

  it('is queried once for concurrent lookups, and again after some seconds', async ({ nameServer }) => {
    const asked = () => nameServer.asked.filter((question) => question === 'A once.receiver.example').length
    const names = new HostNameResolver([nameServer.address])
    const wanted = Array.from({ length: 10 }, (_, tenant) => names.resolveInTurn('once.receiver.example', tenant))
    expect(await Promise.all(wanted)).toEqual(wanted.map(() => ['127.0.0.1']))
    expect(asked()).toBe(1)
    await delay(5_100)
    await names.resolveAtOnce('once.receiver.example', 1)
    expect(asked()).toBe(2)
  })

  it('without a response fails after some seconds', async ({ nameServer }) => {
    const began = performance.now()
    await expect(new HostNameResolver([nameServer.address]).resolveInTurn('nobody.example', 1)).rejects.toThrow(
      /ECANCELLED|ETIMEOUT/,
    )
    expect(performance.now() - began).toBeLessThan(atMost(4_500))
  })
})

it('slots for host name lookups are assigned to tenants in turn', async () => {
  const slots = new LookupSlots()
  const order: string[] = []
  const take = (name: string, tenant: number) =>
    slots.take(tenant).then(
      () => order.push(name),
      // Those that still wait at the end of the test.
      () => {},
    )
  for (let n = 0; n < 6; n++) void take(`a${n}`, 1)
  void take('b0', 2)
  await delay(1)
  expect(order).toEqual(['a0', 'a1', 'a2', 'a3', 'b0'])
  slots.release(1)
  await delay(1)
  expect(order.at(-1)).toBe('a4')
  expect(slots.tryTake(1)).toBe(false)
})

describe('WEBHOOK_DNS_SERVERS', () => {
  it.each(['10.0.0.2', '10.0.0.2:5353, 10.0.0.3', 'fd00::2', '[fd00::2]:53'])('may be %s', (value) => {
    expect(readConfig({ WEBHOOK_DNS_SERVERS: value }).webhookDnsServers).toEqual(value.split(', '))
    expect(() => new Resolver().setServers(value.split(', '))).not.toThrow()
  })
  it.each(['dns.example', '10.0.0.256', '10.0.0.2:x', '10.0.0.2,,10.0.0.3'])('is refused as %s', (value) => {
    expect(() => readConfig({ WEBHOOK_DNS_SERVERS: value })).toThrow(/^WEBHOOK_DNS_SERVERS: must be comma-separated addresses/)
  })
})

it('no code uses the system’s name resolution', () => {
  const found = execFileSync('grep', ['-rnE', String.raw`dns(/promises)?'|lookup\(`, '--include=*.ts', 'server/src'], {
    encoding: 'utf8',
  })
  const files = new Set(
    found
      .trim()
      .split('\n')
      .map((line) => line.split(':')[0]),
  )
  const targets = 'server/src/delivery/targets'
  expect([...files].toSorted()).toEqual([`${targets}/host-name-resolver.ts`, `${targets}/lookup.ts`])
})
