import type { Element } from './gs1-elements.ts'

/** The separator of elements, as scanners send FNC1. */
export const GS = '\u001D'

/**
 * Lengths of elements that need no separator after them, identifier included, by the first two digits of the identifier (GS1 General
 * Specifications, 7.8.4).
 */
const PREDEFINED: Readonly<Record<string, number>> = {
  '00': 20,
  '01': 16,
  '02': 16,
  '03': 16,
  '04': 18,
  ...Object.fromEntries(['11', '12', '13', '14', '15', '16', '17', '18', '19'].map((ai) => [ai, 8])),
  '20': 4,
  ...Object.fromEntries(['31', '32', '33', '34', '35', '36'].map((ai) => [ai, 10])),
  '41': 16,
}

/**
 * The elements of a string as a scanner sends it, without the prefix of the symbology. The identifiers that are read have two digits, or
 * four as those of measures; of others, the first two are enough to pass them over. Separators are passed over wherever an element can
 * begin: at the start, after a predefined length, and several in a row. Undefined if it has no elements, or one is cut short.
 */
export function splitElementString(text: string): Element[] | undefined {
  const elements: Element[] = []
  let at = 0
  while (at < text.length) {
    if (text[at] === GS) {
      at += 1
      continue
    }
    const separator = text.indexOf(GS, at)
    const end = separator === -1 ? text.length : separator
    const ai = /^\d\d/.exec(text.slice(at, at + 2))?.[0]
    if (ai === undefined) return undefined
    const length = PREDEFINED[ai]
    const next = length === undefined ? end : at + length
    if (next > end || next - at <= ai.length) return undefined
    const digits = ai === '31' ? 4 : 2
    elements.push([text.slice(at, at + digits), text.slice(at + digits, next)])
    at = next
  }
  return elements.length === 0 ? undefined : elements
}

/** The elements of the form that people read: `(01)04006381333931(10)AB-1`. Undefined if it is another text, or one is empty. */
export function splitBracketed(text: string): Element[] | undefined {
  const found = [...text.matchAll(/\((\d{2,4})\)/g)]
  if (found[0]?.index !== 0) return undefined
  const elements = found.map((match, index): Element => {
    const value = text.slice(match.index + match[0].length, found[index + 1]?.index)
    return [match[1] as string, value]
  })
  return elements.some(([, value]) => value === '') ? undefined : elements
}
