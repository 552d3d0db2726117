import type { Element } from './gs1-elements.ts'
import { gtinOf } from './gtin.ts'

const AI = /^\d{2,4}$/

/**
 * The elements of a GS1 Digital Link, `https://…/01/<gtin>/10/<lot>?17=…`: the path from its last key `01` on, then the query. A shorter GTIN is
 * read as 14 digits. Undefined for other addresses and texts.
 */
export function splitDigitalLink(text: string): Element[] | undefined {
  if (!/^https?:\/\/\S+$/i.test(text)) return undefined
  // Chrome 120 has no URL.parse.
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const segments = url.pathname.replace(/\/$/, '').split('/')
  // Keys and values take turns up to the end: a lot that is called 01 is no key.
  const isKey = (index: number): boolean => (segments.length - index) % 2 === 0
  const start = segments.findLastIndex(
    (segment, index) => segment === '01' && isKey(index) && /^\d+$/.test(segments[index + 1] as string),
  )
  if (start === -1) return undefined
  const path = segments.slice(start)
  const inPath = path.flatMap((segment, index) => (index % 2 === 0 ? [[segment, path[index + 1] as string] as const] : []))
  if (!inPath.every(([ai]) => AI.test(ai))) return undefined
  const inQuery = url.search.slice(1).split(/[&;]/).map(keyAndValue)
  return [...inPath, ...inQuery.filter(([key]) => AI.test(key))].map(([ai, value]) => [ai, valueOf(ai, value)])
}

function keyAndValue(parameter: string): Element {
  const [key = '', ...value] = parameter.split('=')
  return [key, value.join('=')]
}

/** The value without escapes. One that is escaped wrongly stays, and has a character that no value may have. */
function valueOf(ai: string, escaped: string): string {
  const value = /%(?![\dA-Fa-f]{2})/.test(escaped) ? '\0' : decoded(escaped)
  return ai === '01' || ai === '02' ? (gtinOf(value) ?? value) : value
}

function decoded(escaped: string): string {
  try {
    return decodeURIComponent(escaped)
  } catch {
    return '\0'
  }
}
