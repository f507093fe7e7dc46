import type { Rails } from '../rails.ts'
import type { Answer, Checked } from '../wire/answer.ts'
import { headerOf } from '../wire/mount.ts'
import type { WireRequest } from '../wire/mount.ts'
import { badRequest, gatewayDenied, walletError } from './answers.ts'
import type { ApiUser, Product } from './credentials.ts'

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

const MISSING_KEY =
  'Access denied due to missing subscription key. Make sure to include subscription key when making requests to an API.'
const INVALID_KEY =
  'Access denied due to invalid subscription key. Make sure to provide a valid key for an active subscription.'
const INVALID_TOKEN = 'Unauthorized. Access token is missing or invalid.'

export function subscriptionRefusal(
  request: WireRequest,
  rails: Pick<Rails, 'settings'>,
  ...products: readonly Product[]
): Answer | undefined {
  const key = headerOf(request.headers, 'ocp-apim-subscription-key')
  if (key === null) return gatewayDenied(MISSING_KEY)
  const { collectionSubscriptionKeys, disbursementSubscriptionKeys } = rails.settings.mtn()
  const keys = { collection: collectionSubscriptionKeys, disbursement: disbursementSubscriptionKeys }
  return products.some((product) => keys[product].includes(key)) ? undefined : gatewayDenied(INVALID_KEY)
}

/** Checks every call with a token: the gateway's two checks, then the wallet's environment. */
export function authorise(
  request: WireRequest,
  rails: Pick<Rails, 'settings' | 'mtn'>,
  product: Product,
): Checked<ApiUser> {
  const refusal = subscriptionRefusal(request, rails, product)
  if (refusal !== undefined) return { refusal }
  const user = rails.mtn.credentials.userOfToken(headerOf(request.headers, 'authorization'), product)
  if (user === undefined) return { refusal: gatewayDenied(INVALID_TOKEN) }
  const environment = headerOf(request.headers, 'x-target-environment')
  if (environment === null) return { refusal: badRequest('X-Target-Environment is missing') }
  if (environment !== rails.settings.mtn().targetEnvironment) {
    return { refusal: walletError('NOT_ALLOWED_TARGET_ENVIRONMENT', 'wrong X-Target-Environment') }
  }
  return { ok: user }
}

export function parseReference(value: string | null | undefined): Checked<string> {
  if (value === null || value === undefined) return { refusal: badRequest('X-Reference-Id is missing') }
  if (!UUID_V4.test(value)) return { refusal: badRequest('the reference is not a UUID of version 4') }
  return { ok: value.toLowerCase() }
}

/** X-Callback-Url is optional. It must not be empty or name another host than the API user's. */
export function parseCallbackUrl(request: WireRequest, user: ApiUser): Checked<string | null> {
  const value = headerOf(request.headers, 'x-callback-url')
  if (value === null) return { ok: null }
  const url = URL.parse(value)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return { refusal: badRequest('X-Callback-Url is not an http(s) URL') }
  }
  if (user.callbackHost !== null && url.hostname !== user.callbackHost) {
    return { refusal: walletError('INVALID_CALLBACK_URL_HOST', 'not the registered callback host') }
  }
  return { ok: value }
}
