import { Fragment, type ReactNode } from 'react'

/** A fact of which there are several; nothing when there is none. */
export function ListedFact({ name, children }: { name: string; children: readonly ReactNode[] }) {
  if (children.length === 0) return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {[...children.entries()].map(([index, child]) => (
          <Fragment key={index}>
            {index > 0 && ', '}
            {child}
          </Fragment>
        ))}
      </dd>
    </div>
  )
}
