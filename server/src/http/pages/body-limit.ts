/** Of the pages' own endpoints: the body is a key, a code, a badge or the filters of a list. */
export const BODY_LIMIT = 4_096
