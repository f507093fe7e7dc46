import { publishableKeyOf, type TestCall } from '../harness.ts'
import { confirmForm, type Ending } from '../steps.ts'

/** The headers that a payer's device sends; undefined omits one. */
export interface Shown {
  readonly secret: string | undefined
  readonly publishableKey?: string | undefined
  readonly merchant?: string
}

type Extra = Omit<TestCall, 'path' | 'token'>

export function browserCall(path: string, shown: Shown, { headers, ...extra }: Extra = {}): TestCall {
  const { secret, merchant = 'acme' } = shown
  const key = 'publishableKey' in shown ? shown.publishableKey : publishableKeyOf(merchant)
  return {
    path: `/v1/browser${path}`,
    token: null,
    headers: {
      ...(key === undefined ? {} : { 'publishable-key': key }),
      ...(secret === undefined ? {} : { 'client-secret': secret }),
      ...headers,
    },
    ...extra,
  }
}

export const readInBrowser = (id: string, secret: string | undefined, extra?: Extra): TestCall =>
  browserCall(`/payment_intents/${id}`, { secret }, extra)

export const readSessionInBrowser = (id: string, secret: string | undefined): TestCall =>
  browserCall(`/checkout/sessions/${id}`, { secret })

export const confirmInBrowser = (
  id: string,
  secret: string | undefined,
  extra: Extra & { ending?: Ending } = {},
): TestCall => {
  const { ending, ...rest } = extra
  return browserCall(
    `/payment_intents/${id}/confirm`,
    { secret },
    { method: 'POST', form: confirmForm(ending), ...rest },
  )
}

/** Ways to send wrong credentials. All must get the same answer. */
export const wrongCredentials = (id: string, secret: string, other: string): [string, Shown][] => [
  ['no secret', { secret: undefined }],
  ['an empty secret', { secret: '' }],
  ['a cut secret', { secret: secret.slice(0, -1) }],
  ['a longer secret', { secret: `${secret}A` }],
  ['the secret of another', { secret: other }],
  ['the id for a secret', { secret: id }],
  ['two secrets', { secret: `${secret}, ${secret}` }],
  ['no key', { secret, publishableKey: undefined }],
  ['an empty key', { secret, publishableKey: '' }],
  ['a key of nobody', { secret, publishableKey: 'pk_nobody' }],
  ['the key of another merchant', { secret, merchant: 'globex' }],
  ['nothing', { secret: undefined, publishableKey: undefined }],
]
