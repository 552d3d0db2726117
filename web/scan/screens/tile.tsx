import { type ComponentType, useEffect, useState } from 'react'
import { t } from '../../shared/texts/scan-texts.ts'
import { reloadOnce } from '../app/reload-once.ts'
import type { Tile } from '../app/screen.ts'
import { useApp } from '../app/use-app.ts'
import { Button } from '../kit/button.tsx'
import styles from './screens.module.css'

interface TileProps {
  tile: Tile
  /** Id of the record; absent: the list. */
  record?: number | undefined
}

interface Code {
  default: ComponentType<TileProps>
}

/** The code of the tiles. The service worker keeps it; without one, the first use needs the connection. */
const CODE: Record<Tile, () => Promise<Code>> = {
  receive: () => import('./goods/receive.tsx'),
  return: () => import('./goods/receive.tsx'),
  'count-list': () => import('./goods/count-list.tsx'),
  batch: () => import('./batch/batch.tsx'),
  pack: () => import('./packing/pack.tsx'),
}
const loaded = new Map<Tile, Code>()

async function load(tile: Tile): Promise<Code> {
  const code = await CODE[tile]()
  loaded.set(tile, code)
  return code
}

/** A screen of a tile, whose code is loaded with its first use. */
export function TileScreen({ tile, record }: TileProps) {
  const app = useApp()
  const [code, setCode] = useState(loaded.get(tile))
  const [isMissing, setMissing] = useState(false)
  useEffect(() => {
    // After an update, the server has files of other names. A reload forgets the calls that have no answer, which are not to be done twice.
    const reload = async (): Promise<void> => setMissing(app.unanswered.size > 0 || !(await reloadOnce()))
    if (code === undefined) load(tile).then(setCode, reload)
  }, [app, tile, code])
  if (code !== undefined) return <code.default key={record} tile={tile} record={record} />
  return (
    <div className={styles.screen} aria-busy={!isMissing}>
      <h1>{t.goods.tile[tile]}</h1>
      <p role="status">{isMissing ? t.goods.notLoaded : t.goods.loading}</p>
      {/* Browsers remember that a script could not be loaded. */}
      {isMissing && <Button onClick={() => location.reload()}>{t.dialog.tryAgain}</Button>}
    </div>
  )
}
