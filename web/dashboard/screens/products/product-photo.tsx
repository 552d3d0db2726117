import { t } from '../../../shared/texts/texts.ts'
import { None } from '../../kit/time.tsx'
import styles from './products.module.css'

/** A photo of an https address; another address is a link, because the page loads pictures over https alone. */
export function ProductPhoto({ url }: { url: string | null }) {
  if (url === null) return <None />
  if (url.startsWith('https:'))
    return <img src={url} alt="" loading="lazy" referrerPolicy="no-referrer" className={styles.photo} />
  if (!url.startsWith('http:')) return <>{url}</>
  return (
    <a href={url} rel="noreferrer noopener" target="_blank">
      {t.products.photo}
    </a>
  )
}
