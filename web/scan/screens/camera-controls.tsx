import { Flashlight } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../shared/texts/scan-texts.ts'
import { Button } from '../kit/button.tsx'
import styles from './screens.module.css'

/** What some cameras have, and TypeScript does not know of. */
interface Capabilities {
  torch?: boolean
  zoom?: { min: number; max: number; step: number }
}

/** Light and zoom, where the camera has them. */
export function CameraControls({ track }: { track: MediaStreamTrack }) {
  const [isLit, setLit] = useState(false)
  const { torch, zoom } = (track.getCapabilities?.() ?? {}) as Capabilities
  const [factor, setFactor] = useState(zoom?.min ?? 1)
  const apply = (change: { torch: boolean } | { zoom: number }): void =>
    void track.applyConstraints({ advanced: [change as MediaTrackConstraintSet] }).catch(() => undefined)
  return (
    <>
      {torch === true && (
        <Button
          aria-pressed={isLit}
          onClick={() => {
            setLit(!isLit)
            apply({ torch: !isLit })
          }}
        >
          <Flashlight aria-hidden />
          {t.camera.light}
        </Button>
      )}
      {zoom !== undefined && zoom.max > zoom.min && (
        <label className={styles.zoom}>
          {t.camera.zoom}
          <input
            type="range"
            min={zoom.min}
            max={zoom.max}
            step={zoom.step || 'any'}
            value={factor}
            onChange={({ target }) => {
              setFactor(target.valueAsNumber)
              apply({ zoom: target.valueAsNumber })
            }}
          />
        </label>
      )}
    </>
  )
}
