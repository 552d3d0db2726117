const NO_RESPONSE = 'The connection ended without a complete response'
const UNREACHABLE = 'The receiver cannot be reached'
const NOT_IN_TIME = 'The connection was not made in time'
const NOT_HTTP = 'The response is not valid HTTP'
const NO_TLS = 'The TLS connection failed'

/** In words for those who run the receiver: what Node and undici say about their errors is for programmers, and changes with their versions. */
const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: NO_RESPONSE,
  EPIPE: NO_RESPONSE,
  UND_ERR_SOCKET: NO_RESPONSE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ETIMEDOUT: NOT_IN_TIME,
  UND_ERR_CONNECT_TIMEOUT: NOT_IN_TIME,
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the response are too long',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'The body of the response does not have its Content-Length',
  UND_ERR_DESTROYED: 'The service stopped during the attempt',
  ERR_ASSERTION: NOT_HTTP,
  HTTPParserError: NOT_HTTP,
  EPROTO: NO_TLS,
  CERT_HAS_EXPIRED: 'The certificate of the receiver has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the receiver is for another name',
}

/** Names of errors of which there are many. */
const KINDS: readonly [code: RegExp, meaning: string][] = [
  [/^ERR_(SSL|TLS)_/, NO_TLS],
  [/CERT|SIGNATURE|^UNABLE_TO_/, 'The certificate of the receiver cannot be verified'],
]

/** Why an attempt failed. A plain error without a code is one of ours, and says it. */
export function failureText(error: NodeJS.ErrnoException & { hostname?: string; address?: string; port?: number }): string {
  const { name, code = name, syscall, hostname, address, port } = error
  if (code === 'Error') return error.message
  if (syscall?.startsWith('query') === true) return `The host name ${hostname} could not be looked up (${code})`
  const meaning = MEANINGS[code] ?? KINDS.find(([pattern]) => pattern.test(code))?.[1] ?? 'The request failed'
  return `${meaning} (${address === undefined ? code : `${code} ${address}:${port}`})`
}
