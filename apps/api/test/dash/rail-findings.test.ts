import { RAIL_FINDINGS_MAX } from '@merchant-payments/contract'
import { recordFinding } from '@merchant-payments/core'
import { afterAll, describe, expect, test } from 'vitest'
import { PUSH_RAIL } from '../harness.ts'
import { startStaffApi } from './staff.ts'

const REFERENCE = '9d0c1f66-5b0e-4a55-9d3e-1f1f5a1f0c11'
const ID = `${PUSH_RAIL}:charge:${REFERENCE}`

const api = await startStaffApi()
const omar = await api.signInAs('omar')
afterAll(() => api.stop())

/** As `reconcile:rails` does. */
const find = (answer: 'succeeded' | 'pending', reference = REFERENCE) =>
  recordFinding(
    api,
    {
      rail: PUSH_RAIL,
      kind: 'charge',
      reference,
      source: 'log',
      merchant: null,
      object: null,
      amountMinor: 700,
      currency: 'XAF',
      answer,
      transactionId: 'T1',
    },
    { name: 'amina', reason: 'A restore.', requestId: `reconcile-${answer}-${reference}` },
  )

const open = async () => (await omar.get('/rail_findings')).body.data

describe('dash.railFindings.list', () => {
  test('200: the open ones, as the rail reported them', async () => {
    expect(await open()).toEqual([])
    await find('pending')
    expect(await open()).toEqual([
      {
        id: ID,
        object: 'rail_finding',
        rail: PUSH_RAIL,
        kind: 'charge',
        reference: REFERENCE,
        answer: 'pending',
        amount: 700,
        currency: 'XAF',
        transaction: 'T1',
        merchant: null,
        revision: 1,
        created: expect.any(Number),
      },
    ])
  })
})

describe('dash.railFindings.close', () => {
  test('200: ends it with an audit entry, until the rail answers again; 404 for a closed one', async () => {
    const { status, body } = await omar.post(`/rail_findings/${ID}/close`, { reason: 'It was paid back.' })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        action: 'rail_finding.close',
        target: `${PUSH_RAIL}:${REFERENCE}`,
        merchant: null,
        actor: { subject: 'omar' },
        after: { answer: 'pending', open: false },
      },
    })
    expect(await open()).toEqual([])
    const again = await omar.post(`/rail_findings/${ID}/close`, { reason: 'Again.' })
    expect(again).toBeRefusal('resource_missing')
    await find('succeeded')
    expect(await open()).toMatchObject([{ id: ID, answer: 'succeeded' }])
  })

  test('409: the rail has answered otherwise since the author looked', async () => {
    await find('pending', 'paid-meanwhile')
    const id = `${PUSH_RAIL}:charge:paid-meanwhile`
    const seen = async () => (await open()).find((finding: { id: string }) => finding.id === id).revision
    const close = (revision: number) =>
      omar.post(`/rail_findings/${id}/close`, {
        seen_revision: String(revision),
        reason: 'Nothing was paid.',
      })
    const before = await seen()
    await find('succeeded', 'paid-meanwhile')
    expect(await close(before)).toBeRefusal('finding_changed')
    expect((await close(await seen())).status).toBe(200)
  })
})

test('dash.railFindings.list: 200: the oldest ones, and whether there are more', async () => {
  const { length } = await open()
  const missing = Array.from({ length: RAIL_FINDINGS_MAX - length }, (_, n) => `reference-${n}`)
  for (const reference of missing) await find('pending', reference)
  expect((await omar.get('/rail_findings')).body).toMatchObject({ has_more: false })
  await find('pending', 'one-more')
  const { body } = await omar.get('/rail_findings')
  expect(body.has_more).toBe(true)
  expect(body.data).toHaveLength(RAIL_FINDINGS_MAX)
})
