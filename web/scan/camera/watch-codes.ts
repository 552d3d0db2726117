import { decoderWorkerUrl } from '../script-urls.ts'
import type { Decoded } from './decoder.ts'
import { Steady } from './steady.ts'

interface WatchOptions {
  /** The codes in a picture, before one of them is taken, and when it was taken. */
  onSight: (texts: readonly string[], at: number) => void
  /** A code that was read twice, and when the second picture was taken. */
  onCode: (text: string, at: number) => void
  /** No code was seen for a minute. */
  onIdle: () => void
  onFailure: (reason: string) => void
  signal: AbortSignal
}

const FRAME_MS = 100
const IDLE_MS = 60_000

/** Opens the camera that looks away from the operator. Rejected where there is none, or where it is not permitted. */
export function openCamera(): Promise<MediaStream> {
  const size = { width: { ideal: 1280 }, height: { ideal: 720 } }
  // Browsers hide the zoom of a camera unless it is asked for.
  const zoom = { zoom: true } as MediaTrackConstraints
  return navigator.mediaDevices.getUserMedia({ audio: false, video: { facingMode: 'environment', ...size, ...zoom } })
}

/** Reads codes from a video, ten pictures a second, until the signal. One picture is looked at at a time, in a worker. */
export function watchCodes(video: HTMLVideoElement, { onSight, onCode, onIdle, onFailure, signal }: WatchOptions): void {
  const worker = new Worker(decoderWorkerUrl(), { type: 'module', name: 'decoder' })
  const steady = new Steady()
  let isBusy = false
  let takenAt = 0
  let seenAt = performance.now()
  worker.addEventListener('error', () => onFailure('the decoder did not start'), { signal })
  worker.addEventListener(
    'message',
    ({ data }: MessageEvent<Decoded>) => {
      isBusy = false
      if ('error' in data) return onFailure(data.error)
      const { texts } = data
      if (texts.length > 0) seenAt = performance.now()
      onSight(texts, takenAt)
      const code = steady.read(texts[0])
      if (code !== undefined) onCode(code, takenAt)
    },
    { signal },
  )
  const look = async (): Promise<void> => {
    if (performance.now() - seenAt > IDLE_MS) return onIdle()
    if (isBusy || video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return
    isBusy = true
    takenAt = performance.now()
    const frame = await createImageBitmap(video).catch(() => undefined)
    // Not while the video changes.
    if (frame === undefined) isBusy = false
    else worker.postMessage(frame, [frame])
  }
  const timer = setInterval(() => void look(), FRAME_MS)
  signal.addEventListener('abort', () => {
    clearInterval(timer)
    worker.terminate()
  })
}
