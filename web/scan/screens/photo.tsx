import { useState } from 'react'
import { t } from '../../shared/texts/scan-texts.ts'
import styles from './screens.module.css'

/** The photo of a product, or nothing where it does not load. Pages show pictures over https alone: an http address is a link. */
export function Photo({ url }: { url: string | null | undefined }) {
  const [broken, setBroken] = useState<string>()
  if (url?.startsWith('http:'))
    return (
      <a className={styles.link} href={url} rel="noreferrer noopener" target="_blank">
        {t.pick.photo}
      </a>
    )
  if (!url?.startsWith('https:') || url === broken) return null
  return <img className={styles.photo} src={url} alt="" onError={() => setBroken(url)} />
}
