/** As for scans: what comes again so soon may be no intention. */
const SAME_TAP_MS = 300
/** A finger in a glove does not meet the same point twice. */
const SAME_PLACE_PX = 32

const CONTROLS = 'button, a, label, summary, select'

/** A control as it was drawn at a tap. */
interface Drawn {
  copy: Node
  box: DOMRect
}

/**
 * Leaves out the second tap of a double tap of a finger if it meets something that was not there at the first one, or was another then: `Take
 * all` would take the next stop, `OK` press what was behind the problem. A control that is still the same counts each tap. One that looks the
 * same and is about another stop says so in `data-about`.
 */
export function leaveOutDoubleTaps(signal: AbortSignal): void {
  let last = { x: 0, y: 0, at: -Infinity }
  // Of the last tap that counted.
  let counted: { control: Element | null; drawn: Map<Element, Drawn> } = { control: null, drawn: new Map() }
  let isTouch = false
  // Older browsers don't tell it of a click.
  addEventListener('pointerdown', ({ pointerType }) => (isTouch = pointerType !== 'mouse'), { capture: true, signal })
  addEventListener(
    'click',
    (event) => {
      const { target, clientX: x, clientY: y, timeStamp: at, detail } = event
      // A key, a scanned command and a script press without a finger.
      if (!isTouch || detail === 0 || !(target instanceof Element)) return
      const control = target.closest(CONTROLS)
      const isSoon = at - last.at < SAME_TAP_MS && Math.hypot(x - last.x, y - last.y) < SAME_PLACE_PX
      last = { x, y, at }
      const before = control === null ? undefined : counted.drawn.get(control)
      const isSame = before?.copy.isEqualNode(control) === true && (control === counted.control || isWithin(before.box, x, y))
      // The browser clicks the input of a label right after the label.
      if (!isSoon || isSame || target.closest('input') !== null) counted = { control, drawn: drawnNow() }
      else {
        event.preventDefault()
        event.stopImmediatePropagation()
      }
    },
    { capture: true, signal },
  )
}

/** What can be tapped: behind a dialog, nothing can. */
function drawnNow(): Map<Element, Drawn> {
  const within = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document
  return new Map(
    [...within.querySelectorAll(CONTROLS)].map((control) => [
      control,
      { copy: control.cloneNode(true), box: control.getBoundingClientRect() },
    ]),
  )
}

const isWithin = ({ left, right, top, bottom }: DOMRect, x: number, y: number): boolean =>
  x >= left && x <= right && y >= top && y <= bottom
