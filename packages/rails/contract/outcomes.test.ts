import type { RailAdapter, RailEvidence } from '@merchant-payments/core'
import { describe, expect, test } from 'vitest'
import { DelayType, WireMockFault } from 'wiremock-captain'
import {
  atRail as atMtn,
  charge as mtnCharge,
  reference,
  refund as mtnRefund,
  wasAccepted as mtnAccepted,
} from '../test/open-rail.ts'
import { evidence } from '../test/operator.ts'
import {
  atRail as atOrange,
  charge as orangeCharge,
  wasAccepted as orangeAccepted,
} from '../test/web-payment.ts'
import { documented, openOperator, type RailName, type Stub, TIMEOUT_MS, walletNotFound } from './stubs.ts'

const namedRefusal = {
  kind: 'declined',
  decline: {
    code: 'payer_not_found',
    actor: 'payer',
    railCode: 'PAYER_NOT_FOUND',
    railMessage: 'Payer does not exist.',
  },
}

type Found = Partial<RailEvidence>

type Outcomes = readonly [submit: object, query: object]

/** The two adapters' results for an answer to a submit, and for the same answer to a status query. */
interface Row {
  readonly stub: (documented: Stub) => Stub
  readonly mtn: Outcomes
  readonly orange: Outcomes
}

const unknown = (found: Found) => ({ kind: 'unknown', evidence: evidence(found) })
const notSent = (found: Found) => ({ kind: 'not_sent', evidence: evidence(found) })
const unavailable = (found: Found) => ({
  kind: 'unavailable',
  evidence: evidence({ operation: 'query', ...found }),
})
const misconfigured = (railCode: string | null = null, railMessage: string | null = null) => ({
  kind: 'declined',
  decline: { code: 'rail_misconfigured', actor: 'merchant_config', railCode, railMessage },
})
const pending = { kind: 'pending' }

const asDocumented = { mtn: [mtnAccepted, pending], orange: [orangeAccepted, pending] } as const
/** Nothing readable arrived. The rail may have acted or not, and has reported nothing about the charge. */
const nothing = (found: Found): Omit<Row, 'stub'> => {
  const both = [unknown(found), unavailable(found)] as const
  return { mtn: both, orange: both }
}
/** Proven never to have reached the wallet. */
const refusedAtTheGate = (found: Found): Omit<Row, 'stub'> => {
  const both = [notSent(found), unavailable(found)] as const
  return { mtn: both, orange: both }
}

const html = '<html><body><h1>Bad Gateway</h1></body></html>'
const fault = (kind: WireMockFault) => () => ({ status: 200, features: { fault: kind } })
const answer = (status: number, body?: unknown): Row['stub'] => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return () => (body === undefined ? { status } : { status, body: text })
}
/** The status arrives, but the body never ends in time. MTN's acceptance has no body, so any body will do. */
const dripping =
  (totalDuration: number): Row['stub'] =>
  ({ body = '          ', ...stub }) => ({
    ...stub,
    body,
    features: { responseDelay: { type: DelayType.CHUNKED_DRIBBLE, numberOfChunks: 5, totalDuration } },
  })
const late =
  (constantDelay: number): Row['stub'] =>
  (stub) => ({ ...stub, features: { responseDelay: { type: DelayType.FIXED, constantDelay } } })

const rows: Record<string, Row> = {
  'the documented answer': { stub: (stub) => stub, ...asDocumented },
  'the documented answer, late': { stub: late(200), ...asDocumented },
  'the documented answer, in drops': { stub: dripping(200), ...asDocumented },
  'no answer in time': { stub: late(TIMEOUT_MS + 1_000), ...nothing({ errno: 'TIMEOUT' }) },
  'a reset': { stub: fault(WireMockFault.CONNECTION_RESET_BY_PEER), ...nothing({ errno: 'ECONNRESET' }) },
  'a close without an answer': {
    stub: fault(WireMockFault.EMPTY_RESPONSE),
    ...nothing({ errno: 'UND_ERR_SOCKET' }),
  },
  'bytes that are not HTTP': {
    stub: fault(WireMockFault.RANDOM_DATA_THEN_CLOSE),
    ...nothing({ errno: 'HTTPParserError' }),
  },
  'a good status, then a broken chunk': {
    stub: fault(WireMockFault.MALFORMED_RESPONSE_CHUNK),
    ...nothing({ httpStatus: 200 }),
  },
  'a body that does not end in time': {
    stub: dripping(TIMEOUT_MS + 2_000),
    // MTN's 202 is the whole acceptance. An order of Orange's without its page is none.
    mtn: [mtnAccepted, unavailable({ httpStatus: 200 })],
    orange: [unknown({ httpStatus: 201 }), unavailable({ httpStatus: 201 })],
  },
  'a body cut short': {
    stub: (stub) => ({ ...stub, body: '{"status":"SUCC' }),
    mtn: [mtnAccepted, unavailable({ httpStatus: 200 })],
    orange: [unknown({ httpStatus: 201 }), unavailable({ httpStatus: 201 })],
  },
  'a body above the size limit': {
    stub: (stub) => ({ ...stub, body: JSON.stringify({ status: 'SUCCESSFUL', pad: 'x'.repeat(100_000) }) }),
    mtn: [mtnAccepted, unavailable({ httpStatus: 200 })],
    orange: [unknown({ httpStatus: 201 }), unavailable({ httpStatus: 201 })],
  },
  'an empty 200': { stub: answer(200), ...nothing({ httpStatus: 200 }) },
  'an empty 204': { stub: answer(204), ...nothing({ httpStatus: 204 }) },
  'a page with 200': { stub: answer(200, html), ...nothing({ httpStatus: 200 }) },
  'an object of another kind': { stub: answer(200, { ok: true }), ...nothing({ httpStatus: 200 }) },
  'a list': { stub: answer(200, [{ status: 'SUCCESSFUL' }]), ...nothing({ httpStatus: 200 }) },
  'a status that is not a string': { stub: answer(200, { status: 7 }), ...nothing({ httpStatus: 200 }) },
  'a redirect': {
    stub: () => ({ status: 302, headers: { location: '/elsewhere' } }),
    ...nothing({ httpStatus: 302 }),
  },
  'a page with 502': { stub: answer(502, html), ...nothing({ httpStatus: 502 }) },
  'an empty 503': { stub: answer(503), ...nothing({ httpStatus: 503 }) },
  'a 500 that names an outage': {
    stub: answer(500, { code: 'INTERNAL_PROCESSING_ERROR' }),
    ...nothing({ httpStatus: 500, railCode: 'INTERNAL_PROCESSING_ERROR' }),
  },
  'a 500 that names a refusal': {
    stub: answer(500, { code: 'PAYER_NOT_FOUND', message: 'Payer does not exist.' }),
    mtn: [namedRefusal, unavailable({ httpStatus: 500, railCode: 'PAYER_NOT_FOUND' })],
    orange: nothing({ httpStatus: 500, railCode: 'PAYER_NOT_FOUND' }).orange,
  },
  'a 429': { stub: answer(429, { statusCode: 429 }), ...refusedAtTheGate({ httpStatus: 429 }) },
  'a quota that is used up': {
    stub: answer(403, { message: 'Out of call volume quota. Quota will be replenished in 02:00:00.' }),
    ...refusedAtTheGate({ httpStatus: 403 }),
  },
  'a 401 that a new token does not end': { stub: answer(401), ...refusedAtTheGate({ httpStatus: 401 }) },
  'an empty 400': {
    stub: answer(400),
    mtn: [misconfigured(), unavailable({ httpStatus: 400 })],
    orange: [misconfigured(), unavailable({ httpStatus: 400 })],
  },
  'a page with 404': {
    stub: answer(404, html),
    // The gateway's 404 says that our URL is wrong, and nothing about a charge.
    mtn: [unknown({ httpStatus: 404 }), unavailable({ httpStatus: 404 })],
    orange: [misconfigured(), unavailable({ httpStatus: 404 })],
  },
  'a duplicate of our own reference': {
    stub: answer(409, { code: 'RESOURCE_ALREADY_EXIST', message: 'Duplicated reference id.' }),
    mtn: [mtnAccepted, unavailable({ httpStatus: 409, railCode: 'RESOURCE_ALREADY_EXIST' })],
    orange: nothing({ httpStatus: 409, railCode: 'RESOURCE_ALREADY_EXIST' }).orange,
  },
}

/** The same for a transfer. Only the codes differ, and the paying account is the deployment's own. */
function ofRefund([submit, query]: Outcomes): Outcomes {
  const { kind } = submit as { kind: string }
  const asked = { operation: 'query_refund' }
  if (kind === 'accepted') return [{ kind }, told(query, asked)]
  // One query does not prove a refund's refusal.
  if (submit === namedRefusal) {
    const unconfirmed = { ...namedRefusal, kind: 'refusal_unconfirmed' }
    return [
      told(unconfirmed, {}, { code: 'rail_misconfigured', actor: 'merchant_config' }),
      told(query, asked),
    ]
  }
  return [
    told(submit, { operation: 'refund' }, { code: 'rail_misconfigured', actor: 'merchant_config' }),
    told(query, asked),
  ]
}

const told = (outcome: object, operation: object, blame: object = {}): object => ({
  ...outcome,
  ...('evidence' in outcome && { evidence: { ...(outcome.evidence as object), ...operation } }),
  ...('decline' in outcome && { decline: { ...(outcome.decline as object), ...blame } }),
})

interface Column {
  readonly submit: (rail: RailAdapter) => Promise<unknown> | undefined
  readonly query: (rail: RailAdapter) => Promise<unknown> | undefined
  readonly expected: (row: Row) => Outcomes
}

const columns: Record<RailName, Column> = {
  mtn: {
    submit: (rail) => rail.submitCharge(mtnCharge),
    query: (rail) => rail.queryCharge(atMtn),
    expected: ({ mtn }) => mtn,
  },
  mtn_refunds: {
    submit: (rail) => rail.refunds?.submitRefund(mtnRefund),
    query: (rail) => rail.refunds?.queryRefund(reference),
    expected: ({ mtn }) => ofRefund(mtn),
  },
  orange: {
    submit: (rail) => rail.submitCharge(orangeCharge),
    query: (rail) => rail.queryCharge(atOrange),
    expected: ({ orange }) => orange,
  },
}

describe.each(Object.keys(documented) as RailName[])('%s', (name) => {
  const { submit, query, expected } = columns[name]

  describe('a submit answered with', () => {
    test.each(Object.entries(rows))('%s has one outcome, and prompts once', async (what, row) => {
      const { rail, answer, requests } = await openOperator(name)
      // The answer to the status query that follows an answer without proof.
      await answer('query', walletNotFound)
      await answer('submit', row.stub(documented[name].submit))

      expect(await submit(rail)).toEqual(expected(row)[0])

      const isDenied = what.includes('401')
      expect(await requests('submit')).toHaveLength(isDenied ? 2 : 1)
    })
  })

  describe('a status query answered with', () => {
    test.each(Object.entries(rows))('%s has one outcome', async (_what, row) => {
      const { rail, answer } = await openOperator(name)
      await answer('query', row.stub(documented[name].query))

      expect(await query(rail)).toEqual(expected(row)[1])
    })
  })
})

test('only the wallet’s own 404 means that it does not know the charge', async () => {
  const { rail, answer } = await openOperator('mtn')
  await answer('query', walletNotFound)
  expect(await rail.queryCharge(atMtn)).toEqual({ kind: 'not_found' })
})
