/** What makes spreadsheets take a cell for a formula, and what makes them take the rest of one for a command. */
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
const GUARDED = /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/**
 * The text with an apostrophe in front when a spreadsheet would run it as a formula: anybody can order under the name `=HYPERLINK(…)`.
 * See OWASP, CSV Injection.
 */
export function guardFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/** The text as it was before it was guarded. */
export function unguardFormula(text: string): string {
  return GUARDED.test(text) ? text.slice(1) : text
}
