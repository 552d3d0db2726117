import { InvalidArgumentError } from 'commander'

/** Parses the CSV delimiter of the command line. */
export function delimiterOf(text: string): string {
  if (text === 'tab' || text === '\\t') return '\t'
  if (text.length !== 1 || /["\r\n\w]/.test(text))
    throw new InvalidArgumentError('must be one character such as ; or the word tab')
  return text
}

const OPTIONS_OF_CSV = ['columns', 'delimiter', 'bom'] as const

/** Throws an error that names an option that JSON lines do not have. */
export function requireNoneOfCsv(options: { [option in (typeof OPTIONS_OF_CSV)[number]]?: unknown }): void {
  const given = OPTIONS_OF_CSV.find((name) => options[name] !== undefined)
  if (given !== undefined) throw new Error(`--${given}: is for CSV, and the format is JSON lines`)
}
