import { InvalidArgumentError } from 'commander'

const EXPECTED = 'must be a postgres:// URL'

/** Reads an argument. Throws `InvalidArgumentError`. */
export function postgresUrl(text: string): string {
  if (!isPostgresUrl(text)) throw new InvalidArgumentError(EXPECTED)
  return text
}

/** The address in an environment variable, which other users of the machine cannot see, unlike arguments. Undefined without one. */
export function postgresUrlOfEnvironment(variable: string): string | undefined {
  const url = process.env[variable]
  if (url === undefined || url === '') return undefined
  if (!isPostgresUrl(url)) throw new Error(`${variable}: ${EXPECTED}`)
  return url
}

function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text)
}
