/** Whether a text is a number as the API writes it, with a decimal point. */
export const isNumber = (text: string): boolean => /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text.trim())
