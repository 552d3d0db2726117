import { useState } from 'react'
import styles from './screens.module.css'

/** The photo of a product. Only of https addresses, and nothing where it does not load. */
export function Photo({ url }: { url: string | null | undefined }) {
  const [broken, setBroken] = useState<string>()
  if (url === null || url === undefined || !url.startsWith('https:') || url === broken) return null
  return <img className={styles.photo} src={url} alt="" onError={() => setBroken(url)} />
}
