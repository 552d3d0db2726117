import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { ProcedureContext } from '@fulfillment/server/procedures/call-context.ts'
import { endpoint } from '@fulfillment/server/procedures/endpoint.ts'
import { failureOf } from '@fulfillment/server/procedures/failure.ts'

const HALF = endpoint({
  name: 'numbers.half',
  scope: 'read:orders',
  method: 'GET',
  path: '/numbers/half',
  summary: 'Half of a number',
  description: 'Half of a number.',
  errors: [],
  input: z.object({ number: z.number() }),
  output: z.object({ half: z.int() }),
  run: async (_context, { number }) => (number === 0 ? z.never().parse(number) : { half: number / 2 }),
})

/** A call that is executed, and one of the procedure, which tRPC clients call. */
const WAYS: [string, (context: ProcedureContext, input: unknown) => Promise<unknown>][] = [
  ['executed', (context, input) => HALF.execute(context, input)],
  [
    'called by tRPC',
    (ctx, input) =>
      HALF.procedure({
        ctx,
        path: HALF.name,
        type: 'query',
        input: undefined,
        getRawInput: async () => input,
        signal: undefined,
        batchIndex: 0,
      }),
  ],
]

describe.each(WAYS)('an endpoint that is %s', (_way, call) => {
  const context = { endpoint: HALF } as unknown as ProcedureContext
  const codeOf = async (given: ProcedureContext, input: unknown): Promise<string> =>
    await call(given, input).then(
      () => 'success',
      (error: unknown) => failureOf(error, { requestId: 'r', endpoint: HALF }).errorCode,
    )

  test('returns its checked output', async () => {
    expect(await call(context, { number: 4, other: 1 })).toEqual({ half: 2 })
  })
  test('refuses wrong input as an error of the caller', async () => {
    expect(await codeOf(context, { number: 'four' })).toBe('validation_error')
  })
  test('returns no wrong output', async () => {
    expect(await codeOf(context, { number: 3 })).toBe('internal_error')
  })
  test('takes an error of a check within the call for its own', async () => {
    expect(await codeOf(context, { number: 0 })).toBe('internal_error')
  })
  test('does not run for a call of another endpoint', async () => {
    const other = { ...context, endpoint: { ...HALF, name: 'numbers.double' } }
    await expect(call(other, { number: 4 })).rejects.toThrow('A call of numbers.double reached numbers.half')
  })
})
