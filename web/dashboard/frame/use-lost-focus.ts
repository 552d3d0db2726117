import { useEffect } from 'react'

/**
 * Mends a focus that was lost with what had it, such as the row of a list, a form that was saved, or the second of two dialogs. What had it
 * before any dialog gets it, which opened the first of them; if that is gone too, the heading: Tab goes on from there then, not from the start.
 */
export function useLostFocus(): void {
  useEffect(() => {
    let last: HTMLElement | undefined
    // Not in a dialog or a list that is open: these are beside the page.
    let lastOnPage: HTMLElement | undefined
    const isLost = (): boolean => document.activeElement === document.body && last !== undefined && isGone(last)
    const remember = ({ target }: FocusEvent): void => {
      if (!(target instanceof HTMLElement)) return
      last = target
      if (document.querySelector('#root')?.contains(target) === true) lastOnPage = target
    }
    const mend = (): void => {
      if (!isLost()) return
      const next = lastOnPage === undefined || isGone(lastOnPage) ? document.querySelector('h1') : lastOnPage
      next?.focus({ preventScroll: true })
    }
    // A frame later: by then a dialog that closes has given the focus back itself, if it can.
    const observer = new MutationObserver(() => {
      if (isLost()) requestAnimationFrame(mend)
    })
    document.addEventListener('focusin', remember)
    // While a dialog is open, the rest of the page is inert: it can have the focus only after that.
    observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['disabled', 'inert'] })
    return () => {
      document.removeEventListener('focusin', remember)
      observer.disconnect()
    }
  }, [])
}

const isGone = (element: HTMLElement): boolean => !element.isConnected || element.matches(':disabled')
