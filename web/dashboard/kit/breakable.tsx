import { Fragment } from 'react'

/** A name such as `webhooks.rotateSecret`, or an address, that may break after its dots, colons and underscores. */
export function Breakable({ text }: { text: string }) {
  return text.split(/(?<=[._:])/).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ))
}
