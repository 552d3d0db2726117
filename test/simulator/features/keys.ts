import { setTimeout as delay } from 'node:timers/promises'
import { newNumber, type ClientState } from '../client-state.ts'
import { numbered, ok, operation, type Data, type Operation, type Reader } from '../operation.ts'
import type { Random } from '../random.ts'

/** API keys: section "Authentication" of the specification. A revoked key is refused by every server within a second. */

const MAX_KEYS = 4
const REVOKED_WITHIN_MS = 1_000
/** Through which of several servers a call goes is drawn, so that one alone would be missed at times. */
const LOOKS = 6

interface Key {
  n: number
  id: number
  value: string
}

const keysOf = (client: ClientState): Key[] => {
  const keys = client.others.get('keys') ?? []
  client.others.set('keys', keys)
  return keys as unknown as Key[]
}

const anyKey = (client: ClientState, random: Random): { key: number } | undefined => {
  const key = random.one(keysOf(client))
  return key && { key: key.n }
}

const nameOf = ({ name }: ClientState, n: number): string => `${name} key ${n}`
const MADE = { scopes: (scopes: unknown) => (scopes as string[]).every((scope) => scope.startsWith('read:')), expires_at: null }

export const KEYS: Operation[] = [
  operation<{ n: number }>({
    id: 'apiKeys.create',
    weight: 0.4,
    makesRecord: true,
    draw: (client) => (keysOf(client).length < MAX_KEYS ? { n: newNumber(client) } : undefined),
    request: (client, { n }) => ({ method: 'POST', path: '/api-keys', body: { name: nameOf(client, n), preset: 'read_only' } }),
    expect(client, { n }, data) {
      keysOf(client).push({ n, id: data.id, value: data.key })
      return ok({ name: nameOf(client, n), ...MADE })
    },
    afterwards: (client, { n }) => use(client, numbered(keysOf(client.state), n) as Key, 200),
  }),

  operation<{ key: number }>({
    id: 'apiKeys.revoke',
    weight: 0.3,
    // What the key is afterwards needs an answer.
    makesRecord: true,
    draw: anyKey,
    request(client, { key }) {
      const known = numbered(keysOf(client), key)
      return known && { method: 'DELETE', path: `/api-keys/${known.id}` }
    },
    expect(client, { key }) {
      const known = numbered(keysOf(client), key) as Key
      const revoked = client.others.get('revoked') ?? []
      client.others.set('revoked', [...revoked, { ...known }])
      client.others.set(
        'keys',
        (keysOf(client) as { n: number; id: number }[]).filter(({ n }) => n !== key),
      )
      return ok({ id: known.id })
    },
    async afterwards(client, { key }) {
      const revoked = client.state.others.get('revoked') as unknown as Key[]
      await delay(REVOKED_WITHIN_MS)
      await use(client, numbered(revoked, key) as Key, 401)
    },
  }),

  operation<{ key: number }>({
    id: 'apiKeys.get',
    weight: 0.3,
    draw: anyKey,
    request(client, { key }) {
      const known = numbered(keysOf(client), key)
      return known && { method: 'GET', path: `/api-keys/${known.id}` }
    },
    expect: (client, { key }) =>
      ok({ id: numbered(keysOf(client), key)?.id, name: nameOf(client, key), key: undefined, ...MADE }),
  }),

  operation<{ key: number }>({
    id: 'apiKeys.list',
    weight: 0.2,
    draw: (client, random) => anyKey(client, random) ?? { key: 0 },
    request: () => ({ method: 'GET', path: '/api-keys?limit=100' }),
    expect: (client) =>
      ok({
        api_keys: (actual: unknown) => {
          const given = actual as Data[]
          const own = given.filter(
            ({ name, revoked_at: at }) => String(name).startsWith(`${client.name} key`) && (at ?? null) === null,
          )
          return given.length === 100 || keysOf(client).every(({ id }) => own.some((row) => row.id === id))
        },
      }),
  }),
]

/** Reads with the key through any server: all must answer alike. */
async function use(client: Reader, { id, value }: Key, status: number): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    const answer = await client.read('/warehouses?limit=1', value)
    if (answer.status !== status)
      client.found(`key ${id}: expected ${status}, got ${answer.status} ${JSON.stringify(answer.body)}`)
  }
}
