import { execFileSync } from 'node:child_process'
import { lookup, Resolver } from 'node:dns/promises'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../server/src/config.ts'
import { HostsFile } from '../../server/src/webhooks/targets/hosts-file.ts'
import { LookupPlaces } from '../../server/src/webhooks/targets/lookup-places.ts'
import { Names } from '../../server/src/webhooks/targets/names.ts'
import { startService, type TestService } from '../support/service.ts'
import { deliveryWhen, startWorker, subscribe, writeEvents } from './support/deliveries.ts'
import { startNameServer, type NameServer } from './support/name-server.ts'
import { startReceiver, until } from './support/receiver.ts'
import { atMost } from '../support/patience.ts'

/** Answers for names under receiver.example, and never for any other. */
let nameServer: NameServer
beforeAll(async () => {
  nameServer = await startNameServer((name) => (name.endsWith('receiver.example') ? ['127.0.0.1'] : undefined))
})
afterAll(() => nameServer.close())

describe('while name servers do not answer', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({ role: 'api', webhookAllowPrivateNetwork: false, webhookDnsServers: [nameServer.address] })
  })
  afterAll(() => service.stop())

  it("twenty subscriptions of a tenant keep nothing else waiting, and four of them wait: the others' callers are told when to try again", async () => {
    const attacker = await service.newTenant()
    const other = await service.newTenant()
    const began = performance.now()
    const subscriptions = Array.from({ length: 20 }, (_, n) =>
      attacker.request('POST', '/webhooks', { name: 'x', url: `https://silent-${n}.example/`, events: ['*'] }),
    )
    await until(() => new Set(nameServer.asked.filter((question) => question.includes('silent'))).size >= 8, 'the questions')
    // What the system resolves, and what reads files, uses the process's I/O threads.
    const durations: number[] = []
    for (let n = 0; n < 10; n++) {
      const start = performance.now()
      await lookup('localhost')
      expect((await other.request('GET', '/webhooks')).status).toBe(200)
      durations.push(performance.now() - start)
    }
    expect(durations.toSorted((a, b) => a - b)[5]).toBeLessThan(atMost(500))

    const answers = await Promise.all(subscriptions)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4)
    const refused = answers.filter(({ status }) => status === 503)
    expect(refused).toHaveLength(16)
    for (const { headers, body } of refused) {
      expect(headers.get('retry-after')).toBe('3')
      expect(body.error.code).toBe('service_unavailable')
    }
    // One time limit for all of them, not one after another.
    expect(performance.now() - began).toBeLessThan(atMost(5_000))
  })

  it('a name is refused that leads to a special address', async () => {
    const tenant = await service.newTenant()
    const { status, body } = await tenant.request('POST', '/webhooks', {
      name: 'x',
      url: 'https://receiver.example/',
      events: ['*'],
    })
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('special address')])
  })

  it('another tenant gets its deliveries, by name', async () => {
    const receiver = await startReceiver()
    const { port } = new URL(receiver.url)
    const worker = startWorker(service, {
      webhookTargets: { allowPrivateNetwork: true, requireHttps: false, names: new Names([nameServer.address]) },
    })
    const attacker = await service.newTenant()
    const other = await service.newTenant()
    // Addresses that are not looked up when they are subscribed.
    for (let n = 0; n < 30; n++) await subscribe(attacker, 'https://8.8.8.8/')
    await service.db.pool.query(
      `update webhook_subscriptions set url = 'http://dead-' || id || '.example/' where tenant_id = $1`,
      [attacker.id],
    )
    const { id } = await subscribe(other, 'https://8.8.8.8/')
    await service.db.pool.query(`update webhook_subscriptions set url = $2 where tenant_id = $1`, [
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
    await worker.stop({ graceMs: 0 })
    await receiver.close()
  })
})

describe('a name', () => {
  it('is found in the hosts file, which is read anew when it has changed', async () => {
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

  it('under localhost is this machine, and asks nobody', async () => {
    const asked = nameServer.asked.length
    const names = new Names([nameServer.address])
    expect(await names.resolveInTurn('localhost', 1)).toContain('127.0.0.1')
    expect(await names.resolveInTurn('Shop.LocalHost.', 1)).toEqual(['127.0.0.1', '::1'])
    expect(nameServer.asked).toHaveLength(asked)
  })

  it('is asked for once by all that want it, and again when the answer is some seconds old', async () => {
    const asked = () => nameServer.asked.filter((question) => question === 'A once.receiver.example').length
    const names = new Names([nameServer.address])
    const wanted = Array.from({ length: 10 }, (_, tenant) => names.resolveInTurn('once.receiver.example', tenant))
    expect(await Promise.all(wanted)).toEqual(wanted.map(() => ['127.0.0.1']))
    expect(asked()).toBe(1)
    await delay(5_100)
    await names.resolveAtOnce('once.receiver.example', 1)
    expect(asked()).toBe(2)
  })

  it('that nobody answers for is given up after some seconds', async () => {
    const began = performance.now()
    await expect(new Names([nameServer.address]).resolveInTurn('nobody.example', 1)).rejects.toThrow(/ECANCELLED|ETIMEOUT/)
    expect(performance.now() - began).toBeLessThan(atMost(4_500))
  })
})

it('places for looking up names go to tenants in turn', async () => {
  const places = new LookupPlaces()
  const order: string[] = []
  const take = (name: string, tenant: number) => places.take(tenant).then(() => order.push(name))
  for (let n = 0; n < 6; n++) void take(`a${n}`, 1)
  void take('b0', 2)
  await delay(1)
  expect(order).toEqual(['a0', 'a1', 'a2', 'a3', 'b0'])
  places.release(1)
  await delay(1)
  expect(order.at(-1)).toBe('a4')
  expect(places.tryTake(1)).toBe(false)
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

it('no code of the program asks the system for the addresses of a name', () => {
  const found = execFileSync('grep', ['-rnE', String.raw`dns(/promises)?'|lookup\(`, '--include=*.ts', 'server/src'], {
    encoding: 'utf8',
  })
  const files = new Set(
    found
      .trim()
      .split('\n')
      .map((line) => line.split(':')[0]),
  )
  expect([...files].toSorted()).toEqual(['server/src/webhooks/targets/lookup.ts', 'server/src/webhooks/targets/names.ts'])
})
