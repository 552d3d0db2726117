/** Texts of at least this many characters are found by an index. For shorter texts, all records of the tenant are read. */
const INDEXED_LENGTH = 3

/** Texts of a table that are searched together. */
interface SearchedTexts {
  table: string
  /** In the order of the index on `search_keys(tenant_id, …)`. */
  texts: readonly string[]
  /** The columns of the result. */
  columns: readonly string[]
}

/** Whether a search for this text uses the index. */
export function isFoundByIndex(text: string): boolean {
  // Characters as Postgres counts them.
  return Array.from(text).length >= INDEXED_LENGTH
}

/**
 * SQL for the records of tenant `$1` that meet the conditions and have a text that contains the text `parameter`, regardless of case. It
 * stands in `from` and needs an alias.
 *
 * The index has a key for each three characters of a text, made of the characters and the tenant. A record can have all keys of a longer
 * text in other positions, so the text is compared too. `is true` hides the conditions from the planner, and `offset 0` the search from the
 * rest of the statement, so that no plan can read another index and calculate the keys of all its records.
 */
export function recordsContaining(searched: SearchedTexts, parameter: string, conditions: readonly string[] = []): string {
  const { table, texts, columns } = searched
  const isFound = `((select char_length(${parameter}) = ${INDEXED_LENGTH}) or ${containing(texts, parameter)})`
  return `(
       select ${columns.join(', ')} from ${table}
       where search_keys(tenant_id, ${texts.join(', ')}) @> search_keys($1::bigint, variadic ${partsOf(parameter)})
         and ((${['tenant_id = $1', ...conditions, isFound].join(' and ')}) is true) offset 0
     )`
}

/** The same for a text that is too short for the index. */
export function recordsContainingShort(
  { table, texts, columns }: SearchedTexts,
  parameter: string,
  conditions: readonly string[] = [],
): string {
  const all = ['tenant_id = $1', ...conditions, `(${containing(texts, parameter)})`].join(' and ')
  return `(select ${columns.join(', ')} from ${table} where ${all})`
}

/**
 * The text in parts of three characters, side by side; only the last one may overlap. Other parts would find hardly fewer records, and each
 * is another list to read in the index.
 */
const partsOf = (parameter: string): string =>
  `array(
           select substr(${parameter}, least(i, char_length(${parameter}) - ${INDEXED_LENGTH - 1}), ${INDEXED_LENGTH})
           from generate_series(1, char_length(${parameter}), ${INDEXED_LENGTH}) i
         )`

/** ASCII texts, which most are, need no case folding by ICU, which takes several times as long. The result is the same. */
const containing = (texts: readonly string[], parameter: string): string => {
  // Calculated once, in a subquery.
  const folded = `(select fold_case(${parameter}))`
  const contains = (text: string): string =>
    `strpos(case when octet_length(${text}) = char_length(${text}) then lower(${text} collate "C") else fold_case(${text}) end, ${folded}) > 0`
  return texts.map(contains).join(' or ')
}
