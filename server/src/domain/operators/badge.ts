import { CODE_CHARACTER, hashOfCode, newCode, readCode } from '../../runtime/one-time-code.ts'

/** 65 bits. A badge opens nothing without an enrolled device. */
const LENGTH = 13
const FORMAT = new RegExp(`^FB-(\\d{1,15})-${CODE_CHARACTER}{${LENGTH}}$`)

/** The parts by which a badge is looked up. */
export interface Badge {
  operatorId: number
  hash: Buffer
}

/** A new badge of an operator, with the text to print on it. Only the hash is stored. */
export function newBadge(operatorId: number): Badge & { text: string } {
  const text = `FB-${operatorId}-${newCode(LENGTH)}`
  return { operatorId, hash: hashOfCode(text), text }
}

/** Parses a scanned or typed badge; undefined if it is not one. */
export function parseBadge(text: string): Badge | undefined {
  const badge = readCode(text)
  const [, operatorId] = FORMAT.exec(badge) ?? []
  return operatorId === undefined ? undefined : { operatorId: Number(operatorId), hash: hashOfCode(badge) }
}
