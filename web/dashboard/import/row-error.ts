/** Why a row is not imported. */
export interface RowError {
  /** Index of the row in the table. */
  row: number
  /** The server's name of the field; undefined for an error of the whole row. */
  field?: string
  message: string
}

const FIELD = /^([a-z_]+): (.*)$/s

/** The errors of a row. The server writes the fields into its message: `price: must be at least 0; name: is required`. */
export function rowErrors(row: number, error: string): RowError[] {
  const parts = error.split(/; (?=[a-z_]+: )/)
  return parts.map((part) => {
    const [, field, message] = FIELD.exec(part) ?? []
    return field === undefined || message === undefined ? { row, message: part } : { row, field, message }
  })
}
