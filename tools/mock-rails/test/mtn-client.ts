import { randomUUID } from 'node:crypto'
import { DEFAULT_SETTINGS, startMockRails } from '../src/index.ts'
import type { MockRails, SettingsPatch } from '../src/index.ts'

/** The frozen clock of these tests. Only control.advanceClock moves it. */
export const START_MS = Date.UTC(2027, 0, 15)

export const { mtn: DEFAULTS } = DEFAULT_SETTINGS

export type Product = 'collection' | 'disbursement'
export type Answer = { status: number; body: unknown; headers: Headers }
export type WireHeaders = Record<string, string | undefined>

export function startRails(settings: SettingsPatch = {}): Promise<MockRails> {
  return startMockRails({ clock: () => START_MS, settings })
}

/** Sends exactly the given headers and body. An undefined header is not sent. */
export async function call(
  baseUrl: string,
  method: string,
  path: string,
  headers: WireHeaders = {},
  body?: string,
  signal?: AbortSignal,
): Promise<Answer> {
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: given,
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  })
  const text = await response.text()
  return { status: response.status, body: parse(text), headers: response.headers }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export function subscriptionKey(product: Product): string {
  const { collectionSubscriptionKeys, disbursementSubscriptionKeys } = DEFAULTS
  const keys = product === 'collection' ? collectionSubscriptionKeys : disbursementSubscriptionKeys
  return keys[0] ?? ''
}

export function basic(user: string, key: string): string {
  return `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}`
}

export async function mintToken(rails: MockRails, product: Product = 'collection'): Promise<string> {
  const answer = await call(rails.wireUrl, 'POST', `/${product}/token/`, {
    authorization: basic(DEFAULTS.apiUser, DEFAULTS.apiKey),
    'ocp-apim-subscription-key': subscriptionKey(product),
  })
  return (answer.body as { access_token: string }).access_token
}

export async function access(rails: MockRails, product: Product = 'collection'): Promise<WireHeaders> {
  return {
    authorization: `Bearer ${await mintToken(rails, product)}`,
    'ocp-apim-subscription-key': subscriptionKey(product),
    'x-target-environment': DEFAULTS.targetEnvironment,
  }
}

type Submit = {
  msisdn?: string
  reference?: string
  callbackUrl?: string
  headers?: WireHeaders
  body?: Record<string, unknown>
  text?: string
  signal?: AbortSignal
}

export function paymentBody(side: 'payer' | 'payee', msisdn: string): Record<string, unknown> {
  return {
    amount: '1000',
    currency: 'XAF',
    externalId: 'order-1',
    [side]: { partyIdType: 'MSISDN', partyId: msisdn },
    payerMessage: 'Order 1',
    payeeNote: 'Shop',
  }
}

export async function submit(rails: MockRails, options: Submit = {}, product: Product = 'collection') {
  const { msisdn = '237670000001', reference = randomUUID(), callbackUrl } = options
  const path = product === 'collection' ? '/collection/v1_0/requesttopay' : '/disbursement/v1_0/transfer'
  const headers = {
    ...(await access(rails, product)),
    'content-type': 'application/json',
    'x-reference-id': reference,
    'x-callback-url': callbackUrl,
    ...options.headers,
  }
  const body = { ...paymentBody(product === 'collection' ? 'payer' : 'payee', msisdn), ...options.body }
  const text = options.text ?? JSON.stringify(body)
  const answer = await call(rails.wireUrl, 'POST', path, headers, text, options.signal)
  return { ...answer, reference }
}

export async function query(rails: MockRails, reference: string, product: Product = 'collection') {
  const path = product === 'collection' ? '/collection/v1_0/requesttopay' : '/disbursement/v1_0/transfer'
  return call(rails.wireUrl, 'GET', `${path}/${reference}`, await access(rails, product))
}

/** The parts of an answer that the protocol defines. */
export function core({ status, body }: Answer): { status: number; body: unknown } {
  return { status, body }
}

export const walletNotFound = {
  status: 404,
  body: { code: 'RESOURCE_NOT_FOUND', message: 'Requested resource was not found.' },
}

/** How a request ended that is not awaited yet: "answered", or the name of its error. */
export function outcomeOf(request: Promise<unknown>): Promise<string> {
  return request.then(
    () => 'answered',
    (error: Error) => error.name,
  )
}
