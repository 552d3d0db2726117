import { CameraOff } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { t } from '../../shared/texts/scan-texts.ts'
import type { App } from '../app/app.ts'
import { useApp } from '../app/use-app.ts'
import { openCamera, watchCodes } from '../camera/watch-codes.ts'
import { Button } from '../kit/button.tsx'
import { CameraControls } from './camera-controls.tsx'
import styles from './screens.module.css'

/** What the camera sees, above the screen. Its codes are scans like any others. */
export function Camera() {
  const app = useApp()
  const video = useRef<HTMLVideoElement>(null)
  const [track, setTrack] = useState<MediaStreamTrack>()
  useEffect(() => {
    const ended = new AbortController()
    if (video.current !== null) void run(app, video.current, setTrack, ended.signal)
    const hide = (): void => {
      if (document.visibilityState === 'hidden') close(app)
    }
    document.addEventListener('visibilitychange', hide, { signal: ended.signal })
    return () => ended.abort()
  }, [app])
  return (
    <section aria-label={t.camera.label} className={styles.camera}>
      <video ref={video} autoPlay muted playsInline aria-label={t.camera.picture} />
      <div className={styles.buttons}>
        <Button onClick={() => close(app)}>
          <CameraOff aria-hidden />
          {t.camera.close}
        </Button>
        {track !== undefined && <CameraControls track={track} />}
      </div>
    </section>
  )
}

const close = (app: App): void => app.set({ isCameraOn: false })

async function run(
  app: App,
  video: HTMLVideoElement,
  setTrack: (track: MediaStreamTrack | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  const stream = await openCamera().catch((error: unknown) => {
    if (!signal.aborted) fail(app, error instanceof DOMException ? error.name : '')
  })
  if (stream === undefined) return
  const stop = (): void => stream.getTracks().forEach((track) => track.stop())
  if (signal.aborted) return stop()
  signal.addEventListener('abort', stop)
  video.srcObject = stream
  const [track] = stream.getVideoTracks()
  // Another program took it, or it was pulled.
  track?.addEventListener('ended', () => close(app), { signal })
  setTrack(track)
  watchCodes(video, {
    onSight: (texts, at) => app.see(texts, at),
    onCode: (text, at) => app.scan([text], at, 'camera'),
    onIdle: () => close(app),
    onFailure: (reason) => fail(app, reason),
    signal,
  })
}

/** The camera is of no use: the operator hears why. */
function fail(app: App, reason: string): void {
  close(app)
  const { camera } = t
  const messages: Record<string, string> = { NotAllowedError: camera.notAllowed, NotFoundError: camera.none }
  app.stop({ message: messages[reason] ?? camera.failed(reason) }, performance.now())
}
