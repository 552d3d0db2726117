/** The JavaScript types for a Postgres type: what pg returns with the parsers in `database.ts`, and what it accepts as a parameter. */
interface Kinds {
  result: string
  parameter: readonly string[]
}

const NUMBER: Kinds = { result: 'number', parameter: ['number'] }
const TEXT: Kinds = { result: 'string', parameter: ['string'] }
const TIME: Kinds = { result: 'string', parameter: ['string', 'Date'] }
const JSON_VALUE: Kinds = { result: 'any', parameter: ['string', 'object'] }

const KINDS: Readonly<Record<string, Kinds>> = {
  int2: NUMBER,
  int4: NUMBER,
  int8: NUMBER,
  float4: NUMBER,
  float8: NUMBER,
  numeric: NUMBER,
  oid: NUMBER,
  text: TEXT,
  varchar: TEXT,
  bpchar: TEXT,
  name: TEXT,
  uuid: TEXT,
  regclass: TEXT,
  pg_lsn: TEXT,
  inet: TEXT,
  tid: TEXT,
  date: TIME,
  timestamptz: TIME,
  bool: { result: 'boolean', parameter: ['boolean'] },
  bytea: { result: 'Buffer', parameter: ['Buffer'] },
  json: JSON_VALUE,
  jsonb: JSON_VALUE,
  void: { result: 'any', parameter: [] },
  _text: { result: 'string[]', parameter: ['string[]'] },
  _int2: { result: 'number[]', parameter: ['number[]'] },
  _int4: { result: 'number[]', parameter: ['number[]'] },
  // The driver's own parser reads the elements of this array.
  _int8: { result: 'string[]', parameter: ['number[]'] },
  _float8: { result: 'number[]', parameter: ['number[]'] },
  _numeric: { result: 'number[]', parameter: ['number[]'] },
  _bool: { result: 'boolean[]', parameter: ['boolean[]'] },
  _date: { result: 'Date[]', parameter: ['string[]'] },
  _timestamptz: { result: 'Date[]', parameter: ['string[]', 'Date[]'] },
  _tid: { result: 'string', parameter: ['string[]'] },
  _uuid: { result: 'string[]', parameter: ['string[]'] },
  _json: { result: 'any', parameter: ['string[]'] },
  _jsonb: { result: 'any', parameter: ['string[]'] },
  _bytea: { result: 'Buffer[]', parameter: [] },
}

/** The JavaScript types for a Postgres type, by its name in `pg_type`. A type that is not listed matches nothing. */
export function kindsOf(type: string): Kinds {
  return KINDS[type] ?? { result: `of a type that postgres-kinds.ts lacks`, parameter: [] }
}
