import { describe, expect, test } from 'vitest'
import { clientFor, rejection, skipWaits, unhandledRejections } from './client.ts'
import { failure, scriptedServer, success } from './scripted-server.ts'

function page(number: number, totalPages: number, ...ids: number[]) {
  const pagination = { page: number, limit: 2, total: totalPages * 2, total_pages: totalPages }
  return { body: success({ orders: ids.map((id) => ({ id })), pagination }) }
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

describe('a list', () => {
  test('returns one page if it is awaited', async () => {
    const { baseUrl, requests } = await scriptedServer(page(1, 3, 6, 5))
    const { orders, pagination } = await clientFor(baseUrl).orders.list({ limit: 2 })
    expect(orders).toEqual([{ id: 6 }, { id: 5 }])
    expect(pagination.total_pages).toBe(3)
    expect(requests).toHaveLength(1)
  })

  test('returns the items of all pages, with the same filters, if it is iterated', async () => {
    const { baseUrl, requests } = await scriptedServer(page(1, 3, 6, 5), page(2, 3, 4, 3), page(3, 3, 2))
    const orders = await collect(clientFor(baseUrl).orders.list({ limit: 2, state_id: 1 }))
    expect(orders.map(({ id }) => id)).toEqual([6, 5, 4, 3, 2])
    expect(requests.map(({ url }) => url)).toEqual([
      '/api/v1/orders?limit=2&state_id=1',
      '/api/v1/orders?limit=2&state_id=1&page=2',
      '/api/v1/orders?limit=2&state_id=1&page=3',
    ])
  })

  test('has the filters and options of its call, on all pages', async () => {
    const { baseUrl, requests } = await scriptedServer(page(1, 2, 6, 5), page(2, 2, 4))
    const filters: { limit: number; state_id: (1 | 2)[] } = { limit: 2, state_id: [1] }
    const options = { headers: new Headers({ 'X-Request-Id': 'import-7' }) }
    const list = clientFor(baseUrl).orders.list(filters, options)
    filters.state_id.push(2)
    filters.limit = 50
    options.headers.set('X-Request-Id', 'import-8')
    await collect(list)
    expect(requests.map(({ url, headers }) => [url, headers['x-request-id']])).toEqual([
      ['/api/v1/orders?limit=2&state_id=1', 'import-7'],
      ['/api/v1/orders?limit=2&state_id=1&page=2', 'import-7'],
    ])
  })

  test('sends headers of an iterator, which can be read only once, with all pages', async () => {
    const { baseUrl, requests } = await scriptedServer(page(1, 2, 6, 5), page(2, 2, 4))
    const headers = new Headers({ 'X-Request-Id': 'import-7' }).entries()
    await collect(clientFor(baseUrl).orders.list({}, { headers }))
    expect(requests.map((request) => request.headers['x-request-id'])).toEqual(['import-7', 'import-7'])
  })

  test('starts at the requested page', async () => {
    const { baseUrl, requests } = await scriptedServer(page(2, 3, 4, 3), page(3, 3, 2))
    await collect(clientFor(baseUrl).orders.list({ page: 2 }))
    expect(requests.map(({ url }) => url)).toEqual(['/api/v1/orders?page=2', '/api/v1/orders?page=3'])
  })

  test('returns an item once if new rows have moved it to the next page', async () => {
    const { baseUrl } = await scriptedServer(page(1, 2, 6, 5), page(2, 3, 5, 4), page(3, 3, 3, 2))
    const orders = await collect(clientFor(baseUrl).orders.list())
    expect(orders.map(({ id }) => id)).toEqual([6, 5, 4, 3, 2])
  })

  test('ends at a page that has become empty', async () => {
    const { baseUrl, requests } = await scriptedServer(page(1, 3, 6, 5), page(2, 3))
    expect(await collect(clientFor(baseUrl).orders.list())).toHaveLength(2)
    expect(requests).toHaveLength(2)
  })

  test('does not fetch unused pages', async () => {
    const { baseUrl, requests } = await scriptedServer(page(1, 3, 6, 5), page(2, 3, 4, 3))
    for await (const order of clientFor(baseUrl).orders.list()) if (order.id === 5) break
    expect(requests).toHaveLength(1)
  })

  test('can be iterated by page', async () => {
    const { baseUrl } = await scriptedServer(page(1, 2, 6, 5), page(2, 2, 5))
    const pages = await collect(clientFor(baseUrl).orders.list().pages())
    expect(pages.map(({ orders, pagination }) => [pagination.page, orders.length])).toEqual([
      [1, 2],
      [2, 1],
    ])
  })

  test('retries each page, and throws its error', async () => {
    const { baseUrl, requests } = await scriptedServer(
      page(1, 2, 6, 5),
      failure(503, 'service_unavailable'),
      failure(404, 'not_found'),
    )
    const error = await rejection(collect(clientFor(baseUrl, { hooks: skipWaits() }).orders.list()))
    expect(error).toMatchObject({ code: 'not_found' })
    expect(requests).toHaveLength(3)
  })

  test('has the response of its first page', async () => {
    const { baseUrl } = await scriptedServer(page(1, 1, 6))
    const { data, response } = await clientFor(baseUrl).orders.list().withResponse()
    expect([data.orders.length, response.status]).toEqual([1, 200])
  })
})

describe('a list is sent when it is awaited', () => {
  const settle = () => new Promise((resolve) => setTimeout(resolve, 50))

  test('and not before', async () => {
    const { baseUrl, requests } = await scriptedServer(page(1, 1, 6))
    const list = clientFor(baseUrl).orders.list()
    const pages = list.pages()
    await settle()
    expect(requests).toHaveLength(0)
    expect((await pages.next()).value?.orders).toEqual([{ id: 6 }])
  })

  test('so that an unused list has no unhandled rejection', async () => {
    const unhandled = unhandledRejections()
    const { baseUrl } = await scriptedServer(failure(404, 'not_found'))
    const client = clientFor(baseUrl)
    client.orders.list()
    client.orders.list().pages()
    const iterated = client.orders.list()
    const awaited = client.orders.list()
    const refused = client.orders.list({ page: Number.NaN })
    await settle()
    expect(await rejection(collect(iterated))).toMatchObject({ code: 'not_found' })
    expect(await rejection(awaited)).toMatchObject({ code: 'not_found' })
    expect(await rejection(refused)).toHaveProperty('message', expect.stringContaining('page must be'))
    await settle()
    expect(unhandled).toEqual([])
  })

  test('once, even if it is awaited several times', async () => {
    const { baseUrl, requests } = await scriptedServer(page(1, 1, 6))
    const list = clientFor(baseUrl).orders.list()
    const [first, second, { data }] = [await list, await list, await list.withResponse()]
    expect([second, data]).toEqual([first, first])
    expect(requests).toHaveLength(1)
  })

  test('once, even if it is awaited and then iterated twice', async () => {
    const { baseUrl, requests } = await scriptedServer(page(1, 2, 6, 5), page(2, 2, 4))
    const list = clientFor(baseUrl).orders.list()
    await list
    for (const _ of [1, 2]) expect((await collect(list)).map(({ id }) => id)).toEqual([6, 5, 4])
    expect(requests.map(({ url }) => url)).toEqual(['/api/v1/orders', '/api/v1/orders?page=2', '/api/v1/orders?page=2'])
  })

  test('and fails with the same error each time', async () => {
    const unhandled = unhandledRejections()
    const { baseUrl, requests } = await scriptedServer(failure(404, 'not_found'))
    const list = clientFor(baseUrl).orders.list()
    const errors = [await rejection(list), await rejection(collect(list)), await rejection(list.withResponse())]
    expect(new Set(errors).size).toBe(1)
    expect((errors[0] as Error).stack).toContain('pages.test.ts')
    await settle()
    expect(unhandled).toEqual([])
    expect(requests).toHaveLength(1)
  })
})

describe('the event feed', () => {
  const events = (next_cursor: string | null, ...ids: string[]) => ({
    body: success({ events: ids.map((id) => ({ id })), next_cursor }),
  })

  test('follows the cursor to the end', async () => {
    const { baseUrl, requests } = await scriptedServer(events('c1', 'evt_1', 'evt_2'), events(null, 'evt_3'))
    const all = await collect(clientFor(baseUrl).events.list({ after: 'c0' }))
    expect(all.map(({ id }) => id)).toEqual(['evt_1', 'evt_2', 'evt_3'])
    expect(requests.map(({ url }) => url)).toEqual(['/api/v1/events?after=c0', '/api/v1/events?after=c1'])
  })

  test('continues from a given cursor, which later pages do not repeat', async () => {
    const { baseUrl, requests } = await scriptedServer(events('c1', 'evt_1'), events(null, 'evt_2'))
    await collect(clientFor(baseUrl).events.list({ cursor: 'c0', limit: 1 }))
    expect(requests.map(({ url }) => url)).toEqual(['/api/v1/events?cursor=c0&limit=1', '/api/v1/events?limit=1&after=c1'])
  })

  test('goes on after a page on which a long search found nothing', async () => {
    const { baseUrl, requests } = await scriptedServer(events('c1'), events('c2'), events(null, 'evt_1'))
    expect(await collect(clientFor(baseUrl).events.list({ since: '2026-11-01T00:00:00Z' }))).toEqual([{ id: 'evt_1' }])
    expect(requests).toHaveLength(3)
  })

  test('ends at an empty page, even if it has a cursor for later', async () => {
    const { baseUrl, requests } = await scriptedServer(events('c1', 'evt_1'), events('c1'))
    expect(await collect(clientFor(baseUrl).events.list())).toHaveLength(1)
    expect(requests).toHaveLength(2)
  })
})
