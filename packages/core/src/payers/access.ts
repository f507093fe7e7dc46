import { type BrowserIntent, type BrowserSession, Refusal } from '@merchant-payments/contract'
import { expectedSessionSecret } from '../checkout-sessions/render.ts'
import type { Session } from '../checkout-sessions/session.ts'
import { clientDisabled } from '../base/client-status.ts'
import type { Deployment, Deps } from '../deps.ts'
import type { Answer, KeyClaim } from '../commit/key.ts'
import { type CheckoutSessionId, parseId, type PaymentIntentId } from '../base/ids.ts'
import type { Merchant } from '../base/merchants.ts'
import { type ConfirmDeps, confirmIntent } from '../payment-intents/confirm.ts'
import type { ConfirmParams } from '../payment-intents/instrument.ts'
import type { Intent } from '../payment-intents/intent.ts'
import { isSameSecret } from '../base/secrets.ts'
import { chargesOfConfirm, renderBrowserIntent, renderBrowserSession } from './render.ts'
import { findPayable, type Payable } from './store.ts'

type AccessDeps = Pick<Deps, 'db' | 'deployment'>

export interface Credentials {
  readonly publishableKey: string
  readonly clientSecret: string
}

export interface Access extends Payable {
  readonly merchant: Merchant
  readonly bySession: Session | null
}

/** @throws Refusal resource_missing, the same for every cause */
export async function accessIntent(
  deps: AccessDeps,
  credentials: Credentials,
  idText: string,
): Promise<Access> {
  return access(deps, credentials, parseId('pi', idText))
}

/** A secret begins with the id of its object. @throws Refusal resource_missing, the same for every cause */
export function accessBySecret(deps: AccessDeps, credentials: Credentials): Promise<Access> {
  const [idText = ''] = credentials.clientSecret.split('_secret_')
  return access(deps, credentials, parseId('pi', idText) ?? parseId('cs', idText))
}

async function access(
  deps: AccessDeps,
  credentials: Credentials,
  id: PaymentIntentId | CheckoutSessionId | null,
): Promise<Access> {
  const { clientSecret } = credentials
  const { merchant, payable } = await find(deps, credentials, id)
  const { intent, session } = payable
  const bySession = session !== null && opens(deps, session, clientSecret) ? session : null
  if (bySession === null && !isOwn(deps, intent, clientSecret)) throw nothingThere()
  return { ...payable, merchant, bySession }
}

/** Runs no SQL. Does not recognize secrets that rows of earlier releases keep. */
export function isDerivedSecret(
  { clientSecrets }: Pick<Deployment, 'clientSecrets'>,
  { publishableKey, clientSecret }: Credentials,
): boolean {
  const [idText = ''] = clientSecret.split('_secret_')
  const id = parseId('pi', idText)
  if (id !== null) return isSameSecret(clientSecret, clientSecrets.expected(id, clientSecret))
  const session = parseId('cs', idText)
  if (session === null) return false
  return isSameSecret(clientSecret, `${clientSecrets.expected(session, clientSecret)}.${publishableKey}`)
}

export async function getBrowserIntent(
  deps: AccessDeps & Pick<Deps, 'rails'>,
  credentials: Credentials,
  idText: string,
): Promise<BrowserIntent> {
  const { intent, charges } = await accessIntent(deps, credentials, idText)
  return renderBrowserIntent(intent, charges, deps)
}

/** @throws Refusal resource_missing, the same for every cause */
export async function getBrowserSession(
  deps: AccessDeps & Pick<Deps, 'rails' | 'clock'>,
  credentials: Credentials,
  idText: string,
): Promise<BrowserSession> {
  const { merchant, payable } = await find(deps, credentials, parseId('cs', idText))
  const { session } = payable
  if (session === null || !opens(deps, session, credentials.clientSecret)) throw nothingThere()
  return renderBrowserSession({ ...payable, session, merchant }, deps, deps.clock())
}

export const confirmFromBrowser = (
  deps: ConfirmDeps,
  { intent, bySession }: Access,
  claim: KeyClaim,
  params: Omit<ConfirmParams, 'customer'>,
): Promise<Answer> =>
  confirmIntent(
    deps,
    claim,
    intent.id,
    { ...params, customer: null },
    {
      session: bySession?.id ?? null,
      render: (intent, charge) => renderBrowserIntent(intent, chargesOfConfirm(charge), deps),
    },
  )

async function find(
  { db, deployment }: AccessDeps,
  { publishableKey }: Credentials,
  id: PaymentIntentId | CheckoutSessionId | null,
): Promise<{ merchant: Merchant; payable: Payable }> {
  const merchant = deployment.merchants.findByKey(publishableKey)
  if (merchant === undefined || id === null) throw nothingThere()
  const { open, found: payable } = await findPayable(db.reader, merchant.id, id)
  if (!open) throw clientDisabled()
  if (payable === undefined) throw nothingThere()
  return { merchant, payable }
}

const opens = ({ deployment }: AccessDeps, session: Session, clientSecret: string): boolean =>
  isSameSecret(clientSecret, expectedSessionSecret(session, deployment, clientSecret))

const isOwn = ({ deployment }: AccessDeps, { id, storedSecret }: Intent, clientSecret: string): boolean =>
  isSameSecret(clientSecret, storedSecret ?? deployment.clientSecrets.expected(id, clientSecret))

// Does not reveal whether the id, the key or the secret is wrong.
export const nothingThere = () =>
  new Refusal('resource_missing', 'No object is accessible with this key and secret.')
