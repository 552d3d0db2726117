/** Takes the code of an enrolment out of the address, before anything else happens. It is redeemed by a button. */
export function takeEnrolmentCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (code === null) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  return code
}
