import type { Wedge, WedgeScan } from './wedge.ts'

type TextField = HTMLInputElement | HTMLTextAreaElement

/** Types of `input` that hold no text. */
const TEXTLESS = new Set(['checkbox', 'radio', 'range', 'button', 'submit', 'reset'])

/** A text field as it was before a burst. */
interface Remembered {
  field: TextField
  value: string
  selection: [number | null, number | null]
}

/** Listens to the keys of the window and reports scans. Any element may have the focus: what a scan typed into a text field is taken out again. */
export function listenToWedge(wedge: Wedge, onScan: (scan: WedgeScan) => void, signal: AbortSignal): void {
  let remembered: Remembered | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const scanned = (scan: WedgeScan): void => {
    clearTimeout(timer)
    restore(remembered)
    remembered = undefined
    onScan(scan)
  }
  const listenToSilence = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      const step = wedge.silence(performance.now())
      if (step.kind === 'scan') scanned(step.scan)
    }, wedge.silenceMs + 1)
  }
  addEventListener(
    'keydown',
    (event) => {
      const step = wedge.press(event)
      if (step.kind === 'scan' || step.kind === 'tail') {
        event.preventDefault()
        event.stopImmediatePropagation()
        if (step.kind === 'scan') scanned(step.scan)
        return
      }
      if (step.kind === 'first') remembered = remember(document.activeElement)
      // A space inside a code must not press the button, or the checkbox, that has the focus.
      if (step.kind === 'more' && remembered === undefined) event.preventDefault()
      if (step.kind !== 'other' && wedge.settings.endsInSilence) listenToSilence()
    },
    { capture: true, signal },
  )
}

function remember(element: Element | null): Remembered | undefined {
  const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
  if (!isField || TEXTLESS.has(element.type)) return undefined
  return { field: element, value: element.value, selection: [element.selectionStart, element.selectionEnd] }
}

function restore(remembered: Remembered | undefined): void {
  if (remembered === undefined || remembered.field.value === remembered.value) return
  const { field, value, selection } = remembered
  const prototype = field instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype
  // React replaces the setter of the element itself, and would not see the change.
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, value)
  // Number fields have no selection.
  if (selection[0] !== null) field.setSelectionRange(...selection)
  field.dispatchEvent(new Event('input', { bubbles: true }))
}
