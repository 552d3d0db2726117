/** What became of a scan or a tap, as the operator hears, feels and sees it. */
export type Outcome = 'taken' | 'line' | 'order' | 'problem'

interface Tone {
  hz: number
  ms: number
  shape: OscillatorType
}

interface Signal {
  tones: Tone[]
  vibration: number[]
}

const tones = (ms: number, ...notes: number[]): Tone[] => notes.map((hz) => ({ hz, ms, shape: 'sine' }))

/** The signal of each outcome. All are told apart by rhythm alone, for those who hear no pitch in a loud hall. */
export const SIGNALS: Record<Outcome, Signal> = {
  taken: { tones: tones(60, 1_760), vibration: [30] },
  line: { tones: tones(80, 1_320, 1_760), vibration: [30, 40, 30] },
  order: { tones: tones(100, 1_320, 1_568, 1_976), vibration: [60, 40, 60, 40, 60] },
  problem: { tones: [{ hz: 220, ms: 400, shape: 'square' }], vibration: [400] },
}

const VOLUME = 0.5
/** A tone that begins or ends at once clicks. */
const RAMP_SECONDS = 0.004

/** Plays signals. Browsers permit sound after the first tap or key: until then, `isSilent` is true. */
export class Feedback {
  #context: AudioContext | undefined
  readonly #onChange: () => void

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  /** Whether signals cannot be heard. */
  get isSilent(): boolean {
    return this.#context?.state !== 'running'
  }

  /** Turns sound on. Call it in the handler of a tap or key. */
  unlock(): void {
    if (!('AudioContext' in globalThis)) return
    if (this.#context === undefined) {
      this.#context = new AudioContext({ latencyHint: 'interactive' })
      this.#context.addEventListener('statechange', this.#onChange)
    }
    // Rejected where sound is blocked; `isSilent` says so.
    if (this.isSilent) this.#context.resume().catch(() => undefined)
  }

  /** Schedules the tones of an outcome and vibrates. */
  play(outcome: Outcome): void {
    const { tones, vibration } = SIGNALS[outcome]
    if (this.#context !== undefined && !this.isSilent) schedule(this.#context, tones)
    if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(vibration)
  }
}

function schedule(context: AudioContext, tones: readonly Tone[]): void {
  let at = context.currentTime
  for (const { hz, ms, shape } of tones) {
    const end = at + ms / 1000
    const gain = new GainNode(context, { gain: 0 })
    gain.gain.setValueAtTime(0, at)
    gain.gain.linearRampToValueAtTime(VOLUME, at + RAMP_SECONDS)
    gain.gain.setValueAtTime(VOLUME, end - RAMP_SECONDS)
    gain.gain.linearRampToValueAtTime(0, end)
    const source = new OscillatorNode(context, { type: shape, frequency: hz })
    source.connect(gain).connect(context.destination)
    source.start(at)
    source.stop(end)
    at = end
  }
}
