let code = takeCode()

/** The code of a one-time link. It is taken out of the address before anything else happens. */
export function signInCode(): string | undefined {
  return code
}

export function forgetCode(): void {
  code = undefined
}

function takeCode(): string | undefined {
  const found = new URLSearchParams(location.hash.slice(1)).get('code')
  if (found === null) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  return found
}
