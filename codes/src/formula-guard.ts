/** The first characters with which a spreadsheet reads a cell as a formula, plain and full-width, after any apostrophes. */
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
const GUARDED = /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/**
 * Prefixes a text with an apostrophe when a spreadsheet would run it as a formula: a customer can order under the name `=HYPERLINK(…)`.
 * See OWASP, CSV Injection.
 */
export function guardFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/** Removes the apostrophe that `guardFormula` added. */
export function unguardFormula(text: string): string {
  return GUARDED.test(text) ? text.slice(1) : text
}
