import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { arrayText } from '@fulfillment/server/database/statements/statement.ts'

describe('the text of an array', () => {
  let client: pg.Client
  beforeAll(async () => {
    client = new pg.Client({ connectionString: inject('postgresUrl') })
    await client.connect()
  })
  afterAll(() => client.end())

  const CONTROL = Array.from({ length: 31 }, (_, code) => String.fromCharCode(code + 1)).join('')
  const TEXTS: [name: string, values: (string | null)[]][] = [
    ['nothing', []],
    ['an empty text, a null and the word', ['', null, 'null', 'NULL']],
    ['what separates elements', [',', '{', '}', '{a,b}', ' a ', '"']],
    ['backslashes', ['\\', String.raw`\\n`, String.raw`\"`, String.raw`C:\new`]],
    ['control characters', [CONTROL, 'line\nbreak', '\u007f']],
    ['control characters beside quotes and backslashes', ['"\n"', '\\\n\\', 'plain', null]],
    ['all planes of Unicode', ['ü', '倉庫', '📦', '\u2028', '\ufeff']],
  ]

  it.each(TEXTS)('is read by Postgres as it was: %s', async (_, values) => {
    const { rows } = await client.query('select $1::text[] as list', [arrayText(values)])
    expect(rows).toEqual([{ list: values }])
  })

  it('is read by Postgres as it was: numbers and booleans', async () => {
    const { rows } = await client.query('select $1::float8[] as numbers, $2::bool[] as booleans', [
      arrayText([0, -1.5, 1e21, 999_999_999_999.999, null]),
      arrayText([true, false, null]),
    ])
    expect(rows).toEqual([{ numbers: [0, -1.5, 1e21, 999_999_999_999.999, null], booleans: [true, false, null] }])
  })

  it('holds dates as moments', async () => {
    const at = new Date('2026-11-22T12:00:00.123Z')
    const { rows } = await client.query('select $1::timestamptz[] as list', [arrayText([at, null])])
    expect(rows).toEqual([{ list: [at, null] }])
  })

  it('takes undefined for null', () => {
    expect(arrayText([undefined, 1])).toBe('{null,1}')
    expect(arrayText([undefined, '\n'])).toBe('{null,"\n"}')
  })
})
