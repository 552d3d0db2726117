/** Whether a text is a number with a decimal point, in a field of a form or in a cell of a file. */
export const isNumber = (text: string): boolean => /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text.trim())
