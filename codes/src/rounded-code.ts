// As spreadsheets write long numbers, with the decimal comma of some languages: 4.00638E+12, and 2E+12 for 2000000000015.
const ROUNDED = /^\s*\d(?:[.,]\d+)?E\+\d{2}\s*$/i

/** Whether a code is a number that a spreadsheet has rounded, so that its last digits are lost. */
export const isRoundedCode = (code: string): boolean => ROUNDED.test(code)
