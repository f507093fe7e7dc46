import { randomBytes } from 'node:crypto'
import type { RailAdapter, RailCode } from '@merchant-payments/core'
import { inject, onTestFinished } from 'vitest'
import { BodyType, type IWireMockFeatures, WireMock } from 'wiremock-captain'
import { createMtnMomo, createOrangeMoney } from '../src/index.ts'
import { config as mtnConfig } from '../test/open-rail.ts'
import { config as orangeConfig, page } from '../test/web-payment.ts'

/** An answer of WireMock. The body is sent as it is written; WireMock's own default would be JSON. */
export interface Stub {
  readonly status: number
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly features?: IWireMockFeatures
}

type Step = 'token' | 'submit' | 'query'

export interface Operator {
  readonly rail: RailAdapter
  /** Answers from now on with this stub. A stub that is added later takes precedence. */
  readonly answer: (step: Step, stub: Stub) => Promise<void>
  /** The base URL of this operator. */
  readonly baseUrl: string
  /** The requests that reached the operator, in order. */
  readonly requests: (step: Step) => Promise<{ headers: Record<string, string>; body: string }[]>
}

/** The longest wait of an adapter in these tests. Stubs answer later than this, or far sooner. */
export const TIMEOUT_MS = 1_000
const TIMEOUTS = { connectTimeoutMs: 500, totalTimeoutMs: TIMEOUT_MS }

const json = (status: number, body: object): Stub => ({
  status,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
})

const ofMtn = {
  token: json(200, { access_token: 'token', token_type: 'access_token', expires_in: 3600 }),
  submit: { status: 202 },
  query: json(200, { status: 'PENDING', amount: '1000', currency: 'XAF' }),
}

/** The answers that each operator documents. */
export const documented = {
  mtn: ofMtn,
  mtn_refunds: ofMtn,
  orange: {
    token: json(200, { access_token: 'token', token_type: 'Bearer', expires_in: '7776000' }),
    submit: json(201, page),
    query: json(201, { status: 'INITIATED' }),
  },
} as const satisfies Record<string, Record<Step, Stub>>

export type RailName = keyof typeof documented

export const walletNotFound = json(404, {
  code: 'RESOURCE_NOT_FOUND',
  message: 'Requested resource was not found.',
})

interface Place {
  readonly method: 'GET' | 'POST'
  readonly path: string
}

const places = {
  mtn: {
    token: { method: 'POST', path: '/collection/token/' },
    submit: { method: 'POST', path: '/collection/v1_0/requesttopay' },
    query: { method: 'GET', path: '/collection/v1_0/requesttopay/7f3b4f0e-93f5-4b1c-8a6e-0b6f2d9c1a55' },
  },
  mtn_refunds: {
    token: { method: 'POST', path: '/disbursement/token/' },
    submit: { method: 'POST', path: '/disbursement/v1_0/transfer' },
    query: { method: 'GET', path: '/disbursement/v1_0/transfer/7f3b4f0e-93f5-4b1c-8a6e-0b6f2d9c1a55' },
  },
  orange: {
    token: { method: 'POST', path: '/oauth/v3/token' },
    submit: { method: 'POST', path: '/orange-money-webpay/cm/v1/webpayment' },
    query: { method: 'POST', path: '/orange-money-webpay/cm/v1/transactionstatus' },
  },
} as const satisfies Record<RailName, Record<Step, Place>>

const openMtn = (baseUrl: string) =>
  createMtnMomo({ ...mtnConfig, ...TIMEOUTS, code: 'mtn' as RailCode, baseUrl })

const open = {
  mtn: openMtn,
  mtn_refunds: openMtn,
  orange: (baseUrl: string) =>
    createOrangeMoney({
      ...orangeConfig,
      ...TIMEOUTS,
      code: 'orange' as RailCode,
      baseUrl,
      tokenUrl: `${baseUrl}/oauth/v3/token`,
    }),
} satisfies Record<RailName, (baseUrl: string) => RailAdapter>

/** An adapter with an operator of its own, played by WireMock. It answers as documented until a test changes that. */
export async function openOperator(name: RailName): Promise<Operator> {
  const wireMock = new WireMock(inject('wireMockUrl'))
  const prefix = `/${randomBytes(8).toString('hex')}`
  const baseUrl = inject('wireMockUrl') + prefix
  const rail = open[name](baseUrl)
  onTestFinished(() => rail.close())
  const ids: string[] = []
  onTestFinished(async () => {
    for (const id of ids) await wireMock.deleteMapping(id)
  })

  const answer = async (step: Step, { status, body, headers, features }: Stub): Promise<void> => {
    const { method, path } = places[name][step]
    const { id } = await wireMock.register(
      { method, endpoint: prefix + path },
      { status, ...(body !== undefined && { body }), ...(headers && { headers: { ...headers } }) },
      { responseBodyType: BodyType.Body, ...features },
    )
    ids.push(id)
  }
  for (const step of ['token', 'submit', 'query'] as const) await answer(step, documented[name][step])

  return {
    rail,
    baseUrl,
    answer,
    requests: async (step) => {
      const { method, path } = places[name][step]
      const found = (await wireMock.getRequestsForAPI(method, prefix + path)) as {
        request: { headers: Record<string, string>; body: string; loggedDate: number }
      }[]
      // WireMock lists the newest first.
      return found.map(({ request }) => request).reverse()
    },
  }
}
