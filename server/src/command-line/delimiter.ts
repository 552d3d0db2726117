import { InvalidArgumentError } from 'commander'

/** Parses the CSV delimiter of the command line. */
export function delimiterOf(text: string): string {
  if (text === 'tab' || text === '\\t') return '\t'
  if (text.length !== 1 || /["\r\n\w]/.test(text))
    throw new InvalidArgumentError('must be one character such as ; or the word tab')
  return text
}
