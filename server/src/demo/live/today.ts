/** The UTC day. */
export const today = (): string => new Date().toISOString().slice(0, 'yyyy-mm-dd'.length)
