import { packing } from '../../../shared/texts/scan-packing-texts.ts'
import { Button } from '../../kit/button.tsx'
import { type Content, contentsOf } from '../../packing/packages.ts'
import type { Packer } from '../../packing/packer.ts'
import styles from '../screens.module.css'

export interface NamedContent extends Content {
  name: string
}

/** The package that the operator packs, and what is expected next. */
export function PackageInHand({ packer: { number, packages, products } }: { packer: Packer }) {
  const weight = packages[number - 1]?.weight ?? null
  const isDone = products.every(({ left }) => left === 0) && packages.length > 0
  return (
    <>
      <p className={styles.place}>{packing.package(number)}</p>
      {weight !== null && <p className={styles.take}>{packing.weighs(weight)}</p>}
      <p className={styles.expected}>{isDone ? packing.done : packing.scanProduct}</p>
    </>
  )
}

interface PackageContentsProps {
  packer: Packer
  onChoose: (content: NamedContent) => void
}

/** What is in the package. A tap sets how much. */
export function PackageContents({ packer: { number, packages, products }, onChoose }: PackageContentsProps) {
  const current = packages[number - 1]
  const contents = current === undefined ? [] : contentsOf(current)
  const nameOf = (id: number): string => products.find(({ product_id }) => product_id === id)?.name ?? ''
  const label = packing.package(number)
  return (
    <section>
      <h2>{label}</h2>
      {contents.length === 0 && <p className={styles.quiet}>{packing.empty}</p>}
      <ul aria-label={label} className={styles.list}>
        {contents.map((content) => {
          const name = nameOf(content.product_id)
          return (
            <li key={content.product_id} className={styles.order}>
              <Button kind="quiet" onClick={() => onChoose({ ...content, name })}>
                {packing.content(name, content.quantity)}
              </Button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
