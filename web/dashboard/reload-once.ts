const RELOADED_AT = 'reloaded-at'
const ONCE_MS = 60_000

/** After an update of the server the files of this build may be gone: the page reloads once, at the same address. */
export function reloadOnce(): void {
  addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(RELOADED_AT) ?? 0)
    if (Date.now() - last < ONCE_MS) return
    event.preventDefault()
    sessionStorage.setItem(RELOADED_AT, String(Date.now()))
    location.reload()
  })
}
