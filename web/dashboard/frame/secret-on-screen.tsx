import { Fragment } from 'react'
import { closeSecret, secrets } from '../data/secrets.ts'
import { useStore } from '../data/store.ts'

/** The value that is shown only once. Not a part of the screen that made it: that may have been left before the response. */
export function SecretOnScreen() {
  const [first] = useStore(secrets)
  if (first === undefined) return null
  return <Fragment key={first.id}>{first.draw(() => closeSecret(first.id))}</Fragment>
}
