import { Fragment } from 'react'

const PARTS = /[^._:]+[._:]?|[._:]/g

/** A name such as `webhooks.rotateSecret`, or an address, that may break after its dots, colons and underscores. */
export function Breakable({ text }: { text: string }) {
  return [...text.matchAll(PARTS)].map(({ 0: part, index }) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ))
}
