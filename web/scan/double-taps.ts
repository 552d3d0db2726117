/** As for scans: what comes again so soon is no intention. */
const SAME_TAP_MS = 300
/** A finger in a glove does not meet the same point twice. */
const SAME_PLACE_PX = 32

/**
 * Leaves out the second tap of a double tap of a finger, whatever lies there by then: `Take all` would take the next stop, `OK` press what was
 * behind the problem. Keys of a keypad are pressed as fast as fingers are; `data-key` marks them.
 */
export function leaveOutDoubleTaps(signal: AbortSignal): void {
  let last = { x: 0, y: 0, at: -Infinity }
  let isTouch = false
  // Older browsers don't tell it of a click.
  addEventListener('pointerdown', ({ pointerType }) => (isTouch = pointerType !== 'mouse'), { capture: true, signal })
  addEventListener(
    'click',
    (event) => {
      const { target, clientX: x, clientY: y, timeStamp: at, detail } = event
      // A key, a scanned command and a script press without a finger.
      if (!isTouch || detail === 0 || !(target instanceof Element)) return
      const isSame = at - last.at < SAME_TAP_MS && Math.hypot(x - last.x, y - last.y) < SAME_PLACE_PX
      last = { x, y, at }
      if (!isSame || target.closest('[data-key], input') !== null) return
      event.preventDefault()
      event.stopImmediatePropagation()
    },
    { capture: true, signal },
  )
}
