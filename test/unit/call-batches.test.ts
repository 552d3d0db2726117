import { setImmediate as nextRound } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { BatchedStatement } from '@fulfillment/server/database/statements/batched-statement.ts'
import { CallBatches, MAX_SHARED_SIZE } from '@fulfillment/server/database/statements/call-batches.ts'

interface Call {
  name: string
  group?: string
  changes?: string[]
  size?: number
}
type Row = { call: number; name: string }

/** A statement that was sent and waits for its result. */
interface Sent {
  tenantId: number
  names: string[]
  succeed: () => void
  fail: (error: Error) => void
}

const BATCHED: BatchedStatement<Call, Row, [string[]]> = {
  statement: { name: 'batched', connection: 'write', sql: '' },
  valuesOf: (calls) => [calls.map(({ name }) => name)],
  groupOf: ({ group = '' }) => group,
  changedBy: ({ name, changes = [name] }) => changes,
  sizeOf: ({ size = 1 }) => size,
}

/** Batches over a database whose results the test decides. */
function batches(own: Partial<typeof BATCHED> = {}) {
  const sent: Sent[] = []
  const shared = new CallBatches<Call, Row>(
    { ...BATCHED, ...own },
    {
      run: (tenantId, _statement, values) => {
        const [names] = values() as [string[]]
        return new Promise<never[]>((resolve, reject) => {
          const rows = names.map((name, call) => ({ call, name }))
          sent.push({ tenantId, names, succeed: () => resolve(rows as never[]), fail: reject })
        })
      },
      transaction: () => Promise.reject(new Error('only calls with a key need a transaction')),
    },
  )
  return { sent, add: (call: Call, tenantId = 1) => shared.add(tenantId, call) }
}

/** Long enough for what is ready to be sent. */
async function settle(): Promise<void> {
  for (let round = 0; round < 5; round++) await nextRound()
}

const namesOf = (sent: readonly Sent[]): string[] => sent.map(({ names }) => names.join(' '))

/** As Postgres refuses a value. */
function refusal(): Error {
  return Object.assign(new pg.DatabaseError('refused', 7, 'error'), { code: '22003' })
}

it('concurrent calls share a statement, and each gets its own rows', async () => {
  const { sent, add } = batches()
  const results = Promise.all(['a', 'b', 'c'].map((name) => add({ name })))
  await settle()
  expect(namesOf(sent)).toEqual(['a b c'])
  sent[0]?.succeed()
  expect(await results).toEqual([[{ call: 0, name: 'a' }], [{ call: 1, name: 'b' }], [{ call: 2, name: 'c' }]])
})

it('two statements run at a time; calls that arrive meanwhile share the next one', async () => {
  const { sent, add } = batches()
  for (const name of ['a', 'b', 'c', 'd']) {
    void add({ name })
    await settle()
  }
  expect(namesOf(sent)).toEqual(['a', 'b'])
  sent[0]?.succeed()
  await settle()
  expect(namesOf(sent)).toEqual(['a', 'b', 'c d'])
})

describe('while a statement that is slow to start runs with many calls', () => {
  const many = Array.from({ length: 16 }, (_, index) => `${index}`)

  // Five milliseconds pass on a busy machine before anything happens.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  async function running() {
    const shared = batches({ isSlowToStart: true })
    for (const name of many) void shared.add({ name })
    await settle()
    return shared
  }

  it('the next one waits until half as many have come', async () => {
    const { sent, add } = await running()
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) void add({ name })
    await settle()
    expect(sent).toHaveLength(1)
    void add({ name: 'h' })
    await settle()
    expect(namesOf(sent)).toEqual([many.join(' '), 'a b c d e f g h'])
  })

  it.for([
    ['when it ends', ([first]: readonly Sent[]) => first?.succeed()],
    ['when it takes long', () => vi.advanceTimersByTime(5)],
  ] as const)('fewer are sent %s', async ([, happen]) => {
    const { sent, add } = await running()
    void add({ name: 'a' })
    await settle()
    expect(sent).toHaveLength(1)
    happen(sent)
    await settle()
    expect(namesOf(sent)).toEqual([many.join(' '), 'a'])
  })
})

it('different tenants or groups never share a statement', async () => {
  const { sent, add } = batches()
  void add({ name: 'a', group: 'x' }, 1)
  void add({ name: 'b', group: 'y' }, 1)
  void add({ name: 'c', group: 'x' }, 2)
  await settle()
  expect(sent.map(({ tenantId, names }) => [tenantId, names])).toEqual([
    [1, ['a']],
    [1, ['b']],
    [2, ['c']],
  ])
})

it('of two calls that change the same, one waits for the other, and is not overtaken by a third', async () => {
  const { sent, add } = batches()
  void add({ name: 'first', changes: ['p'] })
  void add({ name: 'second', changes: ['p', 'q'] })
  void add({ name: 'third', changes: ['q'] })
  void add({ name: 'free', changes: ['r'] })
  await settle()
  expect(namesOf(sent)).toEqual(['first free'])
  sent[0]?.succeed()
  await settle()
  expect(namesOf(sent)).toEqual(['first free', 'second'])
  sent[1]?.succeed()
  await settle()
  expect(namesOf(sent)).toEqual(['first free', 'second', 'third'])
})

it('a statement is no larger than allowed, unless one call is', async () => {
  const { sent, add } = batches()
  void add({ name: 'huge', size: MAX_SHARED_SIZE + 1 })
  void add({ name: 'half', size: MAX_SHARED_SIZE / 2 })
  void add({ name: 'other half', size: MAX_SHARED_SIZE / 2 })
  void add({ name: 'one more' })
  await settle()
  expect(namesOf(sent)).toEqual(['huge', 'half other half'])
  sent[0]?.succeed()
  await settle()
  expect(namesOf(sent).at(-1)).toBe('one more')
})

it('when Postgres refuses a statement, its calls are run one by one, and only the one at fault fails', async () => {
  const { sent, add } = batches()
  const results = Promise.allSettled(['good', 'bad'].map((name) => add({ name })))
  await settle()
  sent[0]?.fail(refusal())
  await settle()
  expect(namesOf(sent)).toEqual(['good bad', 'good', 'bad'])
  sent[1]?.succeed()
  sent[2]?.fail(refusal())
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
})

it('a call that changed nothing runs a second time, alone, and then has its result', async () => {
  const { sent, add } = batches({ secondRun: { isNeeded: ([row]) => row?.name === 'stale' } })
  const results = Promise.all(['stale', 'good'].map((name) => add({ name })))
  await settle()
  sent[0]?.succeed()
  await settle()
  expect(namesOf(sent)).toEqual(['stale good', 'stale'])
  sent[1]?.succeed()
  expect(await results).toEqual([[{ call: 0, name: 'stale' }], [{ call: 1, name: 'good' }]])
})

it('a call whose second run fails has its error, and the others of its batch their results', async () => {
  const { sent, add } = batches({ secondRun: { isNeeded: ([row]) => row?.name === 'stale' } })
  const results = Promise.allSettled(['stale', 'good'].map((name) => add({ name })))
  await settle()
  sent[0]?.succeed()
  await settle()
  sent[1]?.fail(refusal())
  await settle()
  expect(namesOf(sent)).toEqual(['stale good', 'stale'])
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
})

it('when the connection breaks, nobody knows what was kept: all calls of the statement fail, and none is run again', async () => {
  const { sent, add } = batches()
  const results = Promise.allSettled(['a', 'b'].map((name) => add({ name })))
  await settle()
  sent[0]?.fail(new Error('broken'))
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(namesOf(sent)).toEqual(['a b'])
})

it('a tenant with too many calls waiting is refused, and another one is not', async () => {
  const { sent, add } = batches()
  const calls = Array.from({ length: 2_001 }, (_, n) => add({ name: `call ${n}`, changes: ['the same'] }))
  calls.slice(0, -1).forEach((call) => void call.catch(() => {}))
  await expect(calls.at(-1)).rejects.toThrow('Too many requests of this tenant are under way')
  void add({ name: 'of another tenant' }, 2)
  await settle()
  expect(namesOf(sent)).toEqual(['call 0', 'of another tenant'])
})
