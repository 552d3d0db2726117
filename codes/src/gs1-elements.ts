import { hasCheckDigit } from './gtin.ts'

/** An application identifier and its value, as they are in the code. */
export type Element = readonly [ai: string, value: string]

/** What the elements of a code say. Null where the code does not say it. */
export interface Gs1Elements {
  /** 14 digits, of AI 01, else 02. */
  gtin: string | null
  /** AI 10. */
  lot: string | null
  /** AI 21. */
  serial: string | null
  /** AI 17, `YYYY-MM-DD`. */
  expires_on: string | null
  /** AI 310n: net weight in kilograms. */
  weight: number | null
  /** AI 30, else 37: number of items. */
  count: number | null
}

// The character set 82 of the GS1 General Specifications, figure 7.11-1.
const TEXT = /^[!"%&'()*+,\-./0-9:;<=>?A-Z_a-z]{1,20}$/
const isGtin = (value: string): boolean => /^\d{14}$/.test(value) && hasCheckDigit(value)
const isText = (value: string): boolean => TEXT.test(value)
const isCount = (value: string): boolean => /^\d{1,8}$/.test(value)
const isWeight = (value: string): boolean => /^\d{6}$/.test(value)

/** Net weight in kilograms: the last digit of the AI is the number of decimals. */
const WEIGHT = /^310[0-5]$/

/**
 * Reads the elements of a code. Those with other application identifiers are passed over; of several with one identifier the first counts.
 * Undefined if an element that is read has a wrong length, character, check digit or date. `year` is the present one: it tells the century
 * of a date.
 */
export function readElements(elements: readonly Element[], year: number): Gs1Elements | undefined {
  const values = new Map<string, string>()
  for (const [ai, value] of elements) {
    if (!isValid(ai, value, year)) return undefined
    const name = WEIGHT.test(ai) ? 'weight' : ai
    if (!values.has(name)) values.set(name, name === 'weight' ? `${value}e-${ai[3]}` : value)
  }
  const expiry = values.get('17')
  return {
    gtin: values.get('01') ?? values.get('02') ?? null,
    lot: values.get('10') ?? null,
    serial: values.get('21') ?? null,
    expires_on: expiry === undefined ? null : (dateOf(expiry, year) ?? null),
    weight: numberOf(values.get('weight')),
    count: numberOf(values.get('30') ?? values.get('37')),
  }
}

const numberOf = (digits: string | undefined): number | null => (digits === undefined ? null : Number(digits))

function isValid(ai: string, value: string, year: number): boolean {
  switch (ai) {
    case '01':
    case '02':
      return isGtin(value)
    case '10':
    case '21':
      return isText(value)
    case '11':
    case '13':
    case '15':
    case '17':
      return dateOf(value, year) !== undefined
    case '30':
    case '37':
      return isCount(value)
    default:
      return !WEIGHT.test(ai) || isWeight(value)
  }
}

/**
 * The date of YYMMDD. A year more than 50 years ahead is of the century before, one at least 50 years back of the next one (GS1 General
 * Specifications, 7.12). Day 00 is the last one of the month.
 */
export function dateOf(text: string, thisYear: number): string | undefined {
  if (!/^\d{6}$/.test(text)) return undefined
  const [yy, month, day] = [0, 2, 4].map((at) => Number(text.slice(at, at + 2))) as [number, number, number]
  const ahead = yy - (thisYear % 100)
  const century = Math.floor(thisYear / 100) + (ahead > 50 ? -1 : ahead <= -50 ? 1 : 0)
  const year = century * 100 + yy
  const last = month >= 1 && month <= 12 ? new Date(Date.UTC(year, month, 0)).getUTCDate() : 0
  if (last === 0 || day > last) return undefined
  return `${year}-${twoDigits(month)}-${twoDigits(day === 0 ? last : day)}`
}

const twoDigits = (number: number): string => String(number).padStart(2, '0')
