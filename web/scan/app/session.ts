import { APIError, ConnectionError, FulfillmentError } from '@fulfillment/sdk'
import { isNoSession } from '../../shared/api.ts'
import { isUnanswered } from '../../shared/is-unanswered.ts'
import { t } from '../../shared/texts/scan-texts.ts'
import { interruptionOf } from '../queue/interruption.ts'
import type { DeviceSession, KnownOperator } from '../store/database.ts'
import type { Kept } from '../store/store.ts'
import type { App, OfflineBadge } from './app.ts'
import { online, tellRefusal } from './calls.ts'
import { badgeHash, operatorOfBadge } from './known-badges.ts'
import { keepLastUse } from './last-use.ts'

/** More are not accepted. */
const MAX_PROOFS = 20

/** Enrols this device with a code. A device that the tenant knows proves who it is, and goes on with its queue. */
export async function enrol(app: App, code: string, at = performance.now()): Promise<void> {
  const enrolled = await online(app, () => app.api.enrol({ code, devices: proofsFor(app.kept, code) }))
  if (enrolled === undefined) return
  const { device: proof, ...session } = enrolled
  const isKept = await app.keep(() => ({ session, device: proof }), at)
  if (!isKept) return
  // The browser must not delete what was not sent when space is short. Firefox asks the user, and answers when they have.
  void navigator.storage?.persist?.().catch(() => undefined)
  app.offlineBadge = undefined
  app.set({ code: undefined, needs: session.operator === null ? 'badge' : undefined })
  app.sender.resume()
  app.tell('taken', session.device_name, at)
}

/**
 * What proves which device this browser is with each tenant and mode: the server knows whose the code is. A code tells neither its mode nor the
 * tenant of a sandbox; those of the tenant that it names come first.
 */
function proofsFor({ devices }: Kept, code: string): Kept['devices'][string][] {
  const [tenant] = code.split('-', 1)
  const isNamed = (binding: string): boolean => binding.startsWith(`${tenant} `)
  return Object.entries(devices)
    .toSorted(([one], [other]) => Number(isNamed(other)) - Number(isNamed(one)))
    .map(([, device]) => device)
    .slice(0, MAX_PROOFS)
}

/** Signs an operator in with their badge; without an answer of the server, one who used this device in the last 30 days. */
export function signIn(app: App, badge: string, at = performance.now()): Promise<void> {
  return app.operatorTurns.take(async () => {
    const { problem } = app.ui
    // Nothing goes on before the operator has seen what became of the badge before.
    if (problem === undefined) await takeBadge(app, badge, at)
    else app.stop(problem, at)
  })
}

async function takeBadge(app: App, badge: string, at: number): Promise<void> {
  if (app.kept.session === null || app.ui.needs === 'enrolment') {
    app.stop({ message: t.enrol.title }, at)
    return
  }
  const session = await online(app, async () => {
    try {
      const signedIn = await app.api.signIn(badge)
      app.offlineBadge = undefined
      return signedIn
    } catch (error) {
      const known = isUndecided(error) ? await operatorOfBadge(app.kept.operators, badge) : undefined
      if (known === undefined) throw error
      app.offlineBadge = { badge, operatorId: known.id }
      return offlineSession(app, known)
    }
  })
  if (session?.operator === null || session === undefined) return
  const { operator } = session
  const hash = await badgeHash(badge)
  const known: KnownOperator | undefined = hash === undefined ? undefined : { ...operator, badge_hash: hash, used_at: Date.now() }
  if (!(await app.keep(() => ({ session, ...(known === undefined ? {} : { operator: known }) }), at))) return
  // At once: were the app restarted before it is kept the next time, the night in the dock would sign the operator out.
  keepLastUse()
  app.set({ needs: undefined })
  app.go({ name: 'queue' })
  app.sender.resume()
  app.tell('taken', t.said.signedIn(operator.name), at)
}

/** Whether the server said nothing of a badge: it cannot be reached, or the proxy before it answers. With too many refused badges, it did. */
const isUndecided = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof APIError && error.status !== 429 && isUnanswered(error))

/** Signs the operator out: the next one scans a badge. Works without a connection too. */
export async function signOut(app: App): Promise<void> {
  const leaving = app.kept.session?.operator
  if (leaving === null || leaving === undefined) return
  // The next badge waits for the answer, so that the server does not sign out the next operator.
  await app.operatorTurns.take(() => signOutOf(app, leaving.id))
}

async function signOutOf(app: App, operatorId: number): Promise<void> {
  if (app.kept.session?.operator?.id !== operatorId) return
  const endWait = app.beginWait()
  // Without a connection the server keeps the operator until the next badge; this device does not.
  await app.api.signOut().catch(() => undefined)
  endWait()
  app.offlineBadge = undefined
  await leave(app, operatorId)
}

/** Asks for a badge in the place of this operator. Returns whether it is asked for. */
async function leave(app: App, operatorId: number): Promise<boolean> {
  const isKept = await app.keep(({ session }) =>
    session?.operator?.id === operatorId ? { session: { ...session, operator: null } } : undefined,
  )
  // The device may have been removed meanwhile.
  if (!isKept || app.kept.session?.operator !== null) return false
  app.set({ needs: 'badge' })
  return true
}

/** Ends the session of this device. What was not sent stays here, and goes on when the device is enrolled with the same tenant again. */
export async function unenrol(app: App): Promise<void> {
  const isEnded = await online(app, async () => {
    await app.api.end()
    return true
  })
  if (isEnded === true && (await app.keep(() => ({ session: null })))) app.set({ needs: 'enrolment' })
}

/** Asks the server whether the session is still good, and who is signed in. */
export async function checkSession(app: App): Promise<void> {
  const before = app.kept.session
  if (before === null) return
  try {
    const session = await readSession(app)
    if (session === undefined) return
    // Somebody has signed in or out meanwhile: the answer may be older than that.
    let isCurrent = false
    const isKept = await app.keep((kept) => {
      isCurrent = kept.session === before
      return isCurrent ? { session } : undefined
    })
    if (!isKept || !isCurrent || app.isSigningOut) return
    app.set({ needs: session.operator === null ? 'badge' : undefined })
    app.sender.resume()
  } catch (error) {
    if (isNoSession(error)) app.set({ needs: 'enrolment' })
    else if (!(error instanceof FulfillmentError)) throw error
  }
}

/**
 * The server's session, with an operator only if it is the one whom this device knows: who signed in or out offline counts. Undefined if
 * somebody has signed in or out meanwhile.
 */
async function readSession(app: App): Promise<DeviceSession | undefined> {
  const session = await app.api.readSession()
  const here = app.kept.session?.operator
  const { offlineBadge } = app
  // Another operator may be about to sign in offline.
  const isOfHere = offlineBadge !== undefined && offlineBadge.operatorId === here?.id
  if (here?.id !== session.operator?.id)
    return isOfHere ? await showOfflineBadge(app, offlineBadge) : { ...session, operator: null }
  if (isOfHere) app.offlineBadge = undefined
  return session
}

/** Meanwhile the next operator's badge waits. It is shown again later. */
const SHOW_BADGE_MS = 5_000

/** Shows the server the badge that it has not seen, unless somebody signs in or out before it: they count, here as on the server. */
function showOfflineBadge(app: App, offlineBadge: OfflineBadge): Promise<DeviceSession | undefined> {
  return app.operatorTurns.take(async () => {
    if (app.offlineBadge !== offlineBadge) return undefined
    try {
      const session = await app.api.signIn(offlineBadge.badge, { timeoutMs: SHOW_BADGE_MS })
      app.offlineBadge = undefined
      return session
    } catch (error) {
      if (interruptionOf(error) !== undefined) throw error
      await refuseOfflineBadge(app, offlineBadge, error as APIError)
      return undefined
    }
  })
}

/** The badge was replaced meanwhile, for example: who signed in with it works no longer here, and hears why. */
async function refuseOfflineBadge(app: App, { operatorId }: OfflineBadge, error: APIError): Promise<void> {
  app.offlineBadge = undefined
  if (await leave(app, operatorId)) tellRefusal(app, error)
}

function offlineSession(app: App, operator: KnownOperator): DeviceSession {
  const { session } = app.kept
  if (session === null) throw new Error('The device is not enrolled')
  const { id, name, email, may_change_stock } = operator
  return { ...session, operator: { id, name, email, may_change_stock } }
}
