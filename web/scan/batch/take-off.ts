import type { App } from '../app/app.ts'
import { draftOf } from '../app/picking-actions.ts'
import type { WalkKey } from '../picking/walk.ts'

/** The operator has taken the order of a slot off the cart: it is not named any more. */
export async function takeOff(app: App, key: WalkKey, slot: number): Promise<void> {
  await app.keep((kept) => {
    const draft = draftOf(kept, key)
    const { [slot]: _, ...slots } = draft.slots ?? {}
    return { drafts: new Map([[key, { ...draft, slots }]]) }
  })
}
