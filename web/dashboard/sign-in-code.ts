let code: string | undefined
takeCode()

/** The code of a one-time link. It is taken out of the address before anything else happens. */
export function signInCode(): string | undefined {
  return code
}

export function forgetCode(): void {
  code = undefined
}

/** Takes the code out of the address, if there is one. A link that is pasted into a tab with this page changes nothing but the fragment. */
export function takeCode(): void {
  const found = new URLSearchParams(location.hash.slice(1)).get('code')
  if (found === null) return
  history.replaceState(history.state, '', location.pathname + location.search)
  code = found
}
