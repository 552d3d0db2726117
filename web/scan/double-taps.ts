/** As for scans: what comes again so soon may be no intention. */
const SAME_TAP_MS = 300
/** So soon, no finger taps again on purpose: a glove has let go for a moment, or hardly touched at first. */
const BOUNCE_MS = 100
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
 * all` would take the next stop, `OK` press what was behind the problem. A control that is still the same counts each tap, but a bounce with the
 * tap before it. One that looks the same and is about another stop says so in `data-about`.
 */
export function leaveOutDoubleTaps(signal: AbortSignal): void {
  let last = { x: 0, y: 0, at: -Infinity, touchedAt: -Infinity }
  // Of the last tap that counted.
  let counted: { control: Element | null; drawn: Map<Element, Drawn> } = { control: null, drawn: new Map() }
  let isTouch = false
  // Not a number after a click: one without a touch, as of a screen reader, is no bounce.
  let touchedAt = NaN
  // Older browsers don't tell of a click what made it.
  const touch = ({ pointerType, timeStamp }: PointerEvent): void => {
    isTouch = pointerType !== 'mouse'
    touchedAt = timeStamp
  }
  addEventListener('pointerdown', touch, { capture: true, signal })
  addEventListener(
    'click',
    (event) => {
      const { target, clientX: x, clientY: y, timeStamp: at, detail } = event
      // A key, a scanned command and a script press without a finger.
      if (!isTouch || detail === 0 || !(target instanceof Element)) return
      const control = target.closest(CONTROLS)
      const isNear = Math.hypot(x - last.x, y - last.y) < SAME_PLACE_PX
      const isSoon = isNear && at - last.at < SAME_TAP_MS
      const isAgain = at - last.at < BOUNCE_MS || touchedAt - last.touchedAt < BOUNCE_MS
      const isBounce = isNear && isAgain && control !== null && control === counted.control
      last = { x, y, at, touchedAt }
      touchedAt = NaN
      const before = control === null ? undefined : counted.drawn.get(control)
      const isSame = before?.copy.isEqualNode(control) === true && (control === counted.control || isWithin(before.box, x, y))
      // The browser clicks the input of a label right after the label.
      const counts = !isBounce && (!isSoon || isSame)
      if (counts || target.closest('input') !== null) counted = { control, drawn: drawnNear(x, y) }
      else {
        event.preventDefault()
        event.stopImmediatePropagation()
      }
    },
    { capture: true, signal },
  )
}

/** What can be tapped so near to this point that a second tap is the same place: behind a dialog, nothing can. */
function drawnNear(x: number, y: number): Map<Element, Drawn> {
  const within = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document
  return new Map(
    [...within.querySelectorAll(CONTROLS)]
      .map((control) => ({ control, box: control.getBoundingClientRect() }))
      .filter(({ box }) => isWithin(box, x, y, SAME_PLACE_PX))
      .map(({ control, box }) => [control, { copy: control.cloneNode(true), box }]),
  )
}

const isWithin = ({ left, right, top, bottom }: DOMRect, x: number, y: number, reach = 0): boolean =>
  x >= left - reach && x <= right + reach && y >= top - reach && y <= bottom + reach
