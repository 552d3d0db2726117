/** Search parameters as plain text, repeated where there are several: `?state=1&state=2&page=3`. */
export type SearchParameters = Record<string, string | string[]>

export function parseSearch(text: string): SearchParameters {
  const parameters = new URLSearchParams(text)
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => {
      const values = parameters.getAll(name)
      return [name, values.length === 1 ? (values[0] ?? '') : values]
    }),
  )
}

/** Leaves out what is not set. */
export function stringifySearch(search: Record<string, unknown>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null && item !== '') parameters.append(name, String(item))
    }
  }
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

/** One text of the address. */
export function textOf(value: unknown): string | undefined {
  const text = Array.isArray(value) ? value.at(-1) : value
  return typeof text === 'string' && text !== '' ? text : undefined
}

/** The id of a record in the address. */
export function idOf(value: unknown): number | undefined {
  const id = Number(value)
  return Number.isSafeInteger(id) && id > 0 ? id : undefined
}

/** All texts of the address. */
export function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((text): text is string => typeof text === 'string' && text !== '')
}

/** A page of the address; the first is left out. */
export function pageOf(value: unknown): number | undefined {
  const page = Number(textOf(value) ?? value)
  return Number.isSafeInteger(page) && page > 1 ? page : undefined
}

/** Where in a list the screen is, by the number of a page or after a cursor. It is no filter. */
const FIRST_PAGE = { page: undefined, cursor: undefined }

/** Whether any filter is set. */
export function isFiltered(search: object): boolean {
  return Object.entries(search).some(([name, value]) => !Object.hasOwn(FIRST_PAGE, name) && value !== undefined)
}

/** Changes filters in the address, or the page. With `isMore`, more of the same filter: Back undoes it as one. */
export type Filter<Search> = (change: Partial<Search>, isMore?: boolean) => void

/** What the router's `navigate` of one screen does to the parameters of that screen. */
type Navigate<Search> = (to: { search: (before: Search) => Search; replace: boolean }) => Promise<void>

/** What changes the filters of the screen that `navigate` is of. Another filter leads to the first page. */
export function filterBy<Search extends object>(navigate: Navigate<Search>): Filter<Search> {
  return (change, isMore = false) =>
    void navigate({ search: (before) => ({ ...before, ...FIRST_PAGE, ...change }), replace: isMore })
}
