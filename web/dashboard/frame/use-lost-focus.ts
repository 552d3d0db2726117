import { useEffect } from 'react'

/**
 * Mends a focus that was lost with what had it, such as the row of a list, a form that was saved, or a dialog that was left together with its
 * screen. The heading gets it: Tab goes on from there then, not from the start.
 */
export function useLostFocus(): void {
  useEffect(() => {
    let last: HTMLElement | undefined
    const isLost = (): boolean => document.activeElement === document.body && last !== undefined && isGone(last)
    const remember = ({ target }: FocusEvent): void => {
      if (target instanceof HTMLElement) last = target
    }
    const mend = (): void => {
      if (isLost()) document.querySelector('h1')?.focus({ preventScroll: true })
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
