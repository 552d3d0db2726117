import { makeRequest } from '../../load/requests.ts'
import type { Attack } from '../attack.ts'
import type { Flood, FloodRequest } from '../flood.ts'

const KEYS = 10
const CALLERS_A_KEY = 6

/** Creates ten keys and uses them all at full speed. It worked because the only rate limit was per key. */
export const keys: Attack = {
  name: 'keys',
  title: 'ten keys, created by the attacker, at full speed',
  prepare: makeKeys,
  async run(flood, { products }, prepared) {
    const all = prepared as string[]
    const plan = { kind: 'mixed' as const, ids: products, products: products[1] - products[0] + 1, items: 20 }
    const next = (count: number): FloodRequest => {
      const { method, path, body } = makeRequest(plan)
      return { method: method as FloodRequest['method'], path, ...(body && { body }), key: all[count % all.length] }
    }
    await flood.flood(KEYS * CALLERS_A_KEY, next)
  },
}

async function makeKeys(flood: Flood): Promise<string[]> {
  const made: string[] = []
  for (let number = 0; number < KEYS; number++) {
    const body = { name: `key ${number}`, scopes: ['admin'] }
    made.push((await flood.call<{ key: string }>({ method: 'POST', path: '/api-keys', body })).key)
  }
  return made
}
