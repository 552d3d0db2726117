import { type RefCallback, useCallback, useState } from 'react'

/** The width of an element in pixels, and how much larger than usual text is; kept as they change. */
export interface Size {
  /** 0 until it is known. */
  width: number
  zoom: number
}

/** The size of an element whose height is in rem, so that a change of the text's size is noticed. */
export function useSize(): [ref: RefCallback<HTMLElement>, size: Size] {
  const [size, setSize] = useState<Size>({ width: 0, zoom: 1 })
  const ref = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, zoom: textZoom() }))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, size]
}

/** How much larger than 16 px the page's text is. */
export const textZoom = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16
