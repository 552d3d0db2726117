import { Check } from 'lucide-react'
import { goods } from '../../../shared/texts/scan-goods-texts.ts'
import type { GoodsLine } from '../../goods/lines.ts'
import { Button } from '../../kit/button.tsx'
import styles from '../screens.module.css'

/** More would slow down each scan on an old handheld. */
const MAX_LINES = 50

/** What was announced and what has come of it: open lines first. A tap counts as a scan of the product. */
export function GoodsLines({ lines, onTake }: { lines: readonly GoodsLine[]; onTake: (line: GoodsLine) => void }) {
  const sorted = lines.toSorted((one, other) => Number(one.left === 0) - Number(other.left === 0))
  const shown = sorted.slice(0, MAX_LINES)
  return (
    <section>
      <h2>{goods.lines}</h2>
      <ul aria-label={goods.lines} className={styles.list}>
        {shown.map((line) => (
          <li key={line.product_id} className={styles.order}>
            <Button kind="quiet" onClick={() => onTake(line)}>
              {line.name}
            </Button>
            <span className={styles.status}>
              {line.left === 0 && <Check aria-hidden size={20} />}
              {line.expected === 0 ? goods.surplus(line.received) : goods.line(line.received, line.expected)}
            </span>
            {line.barcode !== '' && <span className={styles.quiet}>{line.barcode}</span>}
          </li>
        ))}
      </ul>
      {sorted.length > shown.length && <p>{goods.moreLines(sorted.length - shown.length)}</p>}
    </section>
  )
}
