const KEY = 'scan-reloaded'

/**
 * Reloads the page, for the files of a newer build. Returns false if that would not help: the same build has done so before, or the server
 * does not answer, and without a service worker the app would be gone. `isAsked`: somebody wants it again.
 */
export async function reloadOnce(isAsked = false): Promise<boolean> {
  try {
    if (!isAsked && sessionStorage.getItem(KEY) === import.meta.url) return false
    const isKept = (navigator.serviceWorker?.controller ?? null) !== null
    if (!isKept && !(await fetch(location.pathname, { method: 'HEAD' })).ok) return false
    sessionStorage.setItem(KEY, import.meta.url)
    location.reload()
    return true
  } catch {
    // No answer, or no storage: without it, the page could be loaded for ever.
    return false
  }
}
