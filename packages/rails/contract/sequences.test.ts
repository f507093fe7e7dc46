import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import type { CallbackReference, RailAdapter, RailEvidence } from '@merchant-payments/core'
import { listen } from '@merchant-payments/testing/listen'
import { describe, expect, test } from 'vitest'
import { DelayType, type IWireMockFeatures, WireMockFault } from 'wiremock-captain'
import {
  atRail as atMtn,
  charge as mtnCharge,
  reference,
  wasAccepted as mtnAccepted,
} from '../test/open-rail.ts'
import { evidence } from '../test/operator.ts'
import {
  atRail as atOrange,
  charge as orangeCharge,
  page,
  wasAccepted as orangeAccepted,
} from '../test/web-payment.ts'
import { documented, openOperator, type Stub, TIMEOUT_MS } from './stubs.ts'

const names = ['mtn', 'orange'] as const
const charges = { mtn: mtnCharge, orange: orangeCharge }
const atRail = { mtn: atMtn, orange: atOrange }
const accepted = { mtn: mtnAccepted, orange: orangeAccepted }

const pending = { kind: 'pending' }
const paid = {
  mtn: {
    stub: { status: 'SUCCESSFUL', amount: '1000', currency: 'XAF', financialTransactionId: '7' },
    outcome: { kind: 'succeeded', railTxnId: '7', amountMinor: 1000, currency: 'XAF' },
  },
  orange: {
    stub: { status: 'SUCCESS', txnid: 'MP261121.1200.A00001' },
    outcome: { kind: 'succeeded', railTxnId: 'MP261121.1200.A00001', amountMinor: null, currency: null },
  },
}

/** The first request that matches the stub advances its scenario, so the next one gets the stub behind it. */
const firstOnly = (name: string): IWireMockFeatures => ({
  scenario: { scenarioName: name, requiredScenarioState: 'Started', newScenarioState: 'over' },
})

describe.each(names)('%s', (name) => {
  test('a request that gets a 401 is repeated with a new token', async () => {
    const { rail, answer, requests, baseUrl } = await openOperator(name)
    await rail.queryCharge(atRail[name])
    await answer('submit', { status: 401, features: firstOnly(baseUrl) })

    expect(await rail.submitCharge(charges[name])).toEqual(accepted[name])

    const [denied, sent, ...more] = await requests('submit')
    expect([sent?.body, more]).toEqual([denied?.body, []])
    expect(sent?.headers['X-Reference-Id']).toBe(denied?.headers['X-Reference-Id'])
    expect(await requests('token')).toHaveLength(2)
  })

  test('a failed status query is repeated and gets the result', async () => {
    const { rail, answer, baseUrl } = await openOperator(name)
    const { stub, outcome } = paid[name]
    await answer('query', { status: 200, body: JSON.stringify(stub) })
    await answer('query', {
      status: 200,
      features: { fault: WireMockFault.CONNECTION_RESET_BY_PEER, ...firstOnly(baseUrl) },
    })

    expect(await rail.queryCharge(atRail[name])).toMatchObject({ kind: 'unavailable' })
    expect(await rail.queryCharge(atRail[name])).toEqual(outcome)
  })

  test('a charge is pending until its operator reports it as paid', async () => {
    const { rail, answer, baseUrl } = await openOperator(name)
    const { stub, outcome } = paid[name]
    await answer('query', { status: 200, body: JSON.stringify(stub) })
    await answer('query', { ...documented[name].query, features: firstOnly(baseUrl) })

    expect(await rail.queryCharge(atRail[name])).toEqual(pending)
    expect(await rail.queryCharge(atRail[name])).toEqual(outcome)
    expect(await rail.queryCharge(atRail[name])).toEqual(outcome)
  })

  describe('without a token sends nothing if the login', () => {
    const late = { type: DelayType.FIXED, constantDelay: TIMEOUT_MS + 1_000 } as const
    test.each<[string, Stub, Partial<RailEvidence>]>([
      [
        'is denied',
        { status: 401, body: '{"error":"login_failed"}' },
        { httpStatus: 401, railCode: 'login_failed' },
      ],
      [
        'breaks',
        { status: 500, body: '{"error":"login_failed"}' },
        { httpStatus: 500, railCode: 'login_failed' },
      ],
      ['is a page', { status: 200, body: '<html></html>' }, { httpStatus: 200 }],
      ['grants nothing', { status: 200, body: '{"expires_in":3600}' }, { httpStatus: 200 }],
      ['is empty', { status: 200 }, { httpStatus: 200 }],
      [
        'is reset',
        { status: 200, features: { fault: WireMockFault.CONNECTION_RESET_BY_PEER } },
        { errno: 'ECONNRESET' },
      ],
      ['takes too long', { status: 200, features: { responseDelay: late } }, { errno: 'TIMEOUT' }],
    ])('%s', async (_what, stub, found) => {
      const { rail, answer, requests } = await openOperator(name)
      await answer('token', stub)

      const known = evidence({ operation: 'token', ...found })
      expect(await rail.submitCharge(charges[name])).toEqual({ kind: 'not_sent', evidence: known })
      expect(await rail.queryCharge(atRail[name])).toEqual({ kind: 'unavailable', evidence: known })
      expect([await requests('submit'), await requests('query')]).toEqual([[], []])
    })
  })
})

/** The operator's callback URL. Records how each callback identifies its charge. */
async function openCallbacks(rail: RailAdapter) {
  const found: (CallbackReference | null)[] = []
  const server = createServer((request, response) => {
    const { searchParams: query } = new URL(request.url ?? '', 'http://callbacks.test')
    void text(request).then((body) => {
      found.push(rail.parseCallbackQuery(query) ?? rail.parseCallbackBody(new TextEncoder().encode(body)))
      response.end()
    })
  })
  return { found, url: `http://127.0.0.1:${await listen(server)}/callback` }
}

describe('a callback sent twice, once by each method, before and after the answer, gives one reference', () => {
  const said = {
    mtn: { ...paid.mtn.stub, externalId: reference },
    orange: { status: 'SUCCESS', notif_token: page.notif_token, txnid: 'MP261121.1200.A00001' },
  }
  const found = {
    mtn: { by: 'reference', value: reference },
    orange: { by: 'callback_secret', value: page.notif_token },
  }

  test.each(names)('%s', async (name) => {
    const { rail, answer } = await openOperator(name)
    const callbacks = await openCallbacks(rail)
    const calling = (method: 'PUT' | 'POST'): IWireMockFeatures => ({
      webhook: { method, url: callbacks.url, body: { type: 'JSON', data: said[name] } },
    })
    await answer('submit', { ...documented[name].submit, features: calling('PUT') })
    await answer('query', { ...documented[name].query, features: calling('POST') })

    await rail.submitCharge(charges[name])
    await rail.queryCharge(atRail[name])

    await expect.poll(() => callbacks.found).toEqual([found[name], found[name]])
  })
})
