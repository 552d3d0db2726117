/** A prefix by which a scanner names the symbology. */
const AIM = /^\][A-Za-z][0-9A-Za-z]/
// Control characters except GS, which separates the fields of GS1 codes.
// oxlint-disable-next-line eslint/no-control-regex
const CONTROL = /[\u0000-\u001C\u001E\u001F\u007F]/g
const COMMAND = /^FC-[A-Z]+$/
const BADGE = /^FB-\d+-[0-9A-Z]+$/i
// In layouts that have `#` and not `-` where the US keyboard has it, only one of the readings has the code.
const CODE = /#code=(\d+-[^&\s]+)/

/** A scan that means the same on every screen, or a code of the warehouse. */
export type Scanned =
  | { kind: 'command'; command: string }
  | { kind: 'badge'; badge: string }
  | { kind: 'enrolment'; code: string }
  /**
   * `texts` are tried in order: as read, and as a scanner with a US keyboard means it. `codes` are the same with their AIM prefix, for reading
   * GS1 codes and for the server.
   */
  | { kind: 'code'; texts: string[]; codes: string[] }

/** The text of a scan without control characters, spaces at its ends and an AIM prefix. */
export const cleanScan = (text: string): string => withoutControls(text).replace(AIM, '')

const withoutControls = (text: string): string => text.replaceAll(CONTROL, '').trim()

/** What a scan is. `texts` are its readings, the likelier first; undefined if none has a character left. */
export function readScan(texts: readonly string[]): Scanned | undefined {
  const readings = distinct(texts.map(cleanScan))
  const special = readings.map(specialOf).find((special) => special !== undefined)
  if (special !== undefined || readings.length === 0) return special
  return { kind: 'code', texts: readings, codes: distinct(texts.map(withoutControls)) }
}

/** The code in what a person typed or pasted: the address of an enrolment, or the code alone. */
export function enrolmentCode(typed: string): string {
  return CODE.exec(typed)?.[1] ?? typed.trim()
}

function specialOf(text: string): Scanned | undefined {
  if (COMMAND.test(text)) return { kind: 'command', command: text }
  if (BADGE.test(text)) return { kind: 'badge', badge: text }
  const code = CODE.exec(text)?.[1]
  return code === undefined ? undefined : { kind: 'enrolment', code }
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)].filter((text) => text !== '')
