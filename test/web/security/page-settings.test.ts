import { expect, it } from 'vitest'
import { readConfig } from '@fulfillment/server/config.ts'

it.for(['http://stock.example', 'http://192.168.1.20:3000', 'http://localhost.example', 'http://127.0.0.1.example'])(
  'a start with PUBLIC_URL=%s is refused, unless plain HTTP is permitted',
  (PUBLIC_URL) => {
    expect(() => readConfig({ PUBLIC_URL })).toThrow(/^PUBLIC_URL: must begin with https:\/\/.*PAGES_OVER_HTTP=true permits http/)
    expect(readConfig({ PUBLIC_URL, PAGES_OVER_HTTP: 'true' }).publicUrl).toBe(PUBLIC_URL)
  },
)

it.for(['https://stock.example', 'http://localhost:3000', 'http://127.0.0.1', 'http://127.8.0.1:1', 'http://[::1]:3000'])(
  'PUBLIC_URL=%s needs no permission',
  (PUBLIC_URL) => expect(readConfig({ PUBLIC_URL }).publicUrl).toBe(PUBLIC_URL),
)

it.for([
  'stock.example',
  'https://stock.example/',
  'https://stock.example/shop',
  'https://Stock.example',
  'ftp://stock.example',
  'https://a.example,https://b.example',
  '*',
  'https://user@stock.example',
  'https://stock.example?x',
])('PUBLIC_URL=%s is refused with an example', (PUBLIC_URL) =>
  expect(() => readConfig({ PUBLIC_URL })).toThrow(/^PUBLIC_URL: must be one origin such as https:\/\/stock\.example/),
)

it.for([
  [{ PAGES: 'maybe' }, 'PAGES: must be true or false'],
  [{ PAGES_OVER_HTTP: '2' }, 'PAGES_OVER_HTTP: must be true or false'],
  [{ SESSION_IDLE_HOURS: '0' }, 'SESSION_IDLE_HOURS: must be an integer from 1 to 168'],
  [{ SESSION_IDLE_HOURS: '169' }, 'SESSION_IDLE_HOURS: must be an integer from 1 to 168'],
  [{ SESSION_MAX_DAYS: '31' }, 'SESSION_MAX_DAYS: must be an integer from 1 to 30'],
  [{ SESSION_MAX_DAYS: '1.5' }, 'SESSION_MAX_DAYS: must be an integer from 1 to 30'],
] as const)('%o is refused', ([settings, message]) => expect(() => readConfig(settings)).toThrow(message))

it('have the documented defaults', () => {
  const { pages, publicUrl, sessionIdleHours, sessionMaxDays } = readConfig({})
  expect({ pages, publicUrl, sessionIdleHours, sessionMaxDays }).toEqual({
    pages: true,
    publicUrl: undefined,
    sessionIdleHours: 12,
    sessionMaxDays: 7,
  })
})
