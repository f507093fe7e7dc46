import { type Finding, type RailCode, recordFinding } from '@merchant-payments/core'
import { verifyAuditChain } from '@merchant-payments/db'
import { afterAll, describe, expect, test } from 'vitest'
import { confirmedIntent, createIntent } from '../steps.ts'
import { startStaffApi } from './staff.ts'

const lines: string[] = []
const api = await startStaffApi({ onLogLine: (line) => lines.push(line) })
const omar = await api.signInAs('omar')
const ada = await api.signInAs('ada')
afterAll(() => api.stop())

const targets = async (query: string) =>
  (await omar.get(`/audit_entries?${query}`)).body.data.map(({ target }: { target: string }) => target)

describe('dash.auditEntries.list', () => {
  test('200: newest first, and each filter shows only matching entries', async () => {
    const { id } = await createIntent(api)
    await omar.post(`/payment_intents/${id}/cancel`, { reason: 'One.' })
    await ada.post('/merchant_clients/acme/disable', { reason: 'Two.' })
    await ada.post('/merchant_clients/acme/enable', { reason: 'Three.' })
    expect(await targets('')).toEqual(['acme', 'acme', id])
    expect(await targets('actor=omar')).toEqual([id])
    expect(await targets('action=merchant_client.enable')).toEqual(['acme'])
    expect(await targets(`target=${id}`)).toEqual([id])
    expect(await targets('merchant=globex')).toEqual([])
    const { body } = await omar.get('/audit_entries?limit=1')
    expect(body.has_more).toBe(true)
    expect(await targets(`limit=5&starting_after=${body.data[0].id}`)).toEqual(['acme', id])
  })

  test('200: shows what an operator found after a restore, whether its merchant is known or not', async () => {
    const found: Finding = {
      rail: 'rail' as RailCode,
      kind: 'charge',
      reference: 'r-1',
      source: 'log',
      merchant: 'acme',
      object: 'pi_1',
      amountMinor: 500,
      currency: 'XAF',
      answer: 'succeeded',
      transactionId: 'txn-1',
    }
    const deps = { db: api.db, clock: Date.now }
    const operator = { name: 'amina', reason: 'Restored.', requestId: 'run-1' }
    await recordFinding(deps, found, operator)
    await recordFinding(deps, { ...found, reference: 'r-2', merchant: null }, operator)
    const { body } = await omar.get('/audit_entries?action=rail_finding.record')
    expect(body.data).toMatchObject([
      { target: 'rail:r-2', merchant: null },
      {
        target: 'rail:r-1',
        merchant: 'acme',
        actor: { subject: 'operator:amina', name: 'amina', role: 'operator' },
        reason: 'Restored.',
        before: { answer: null },
        after: { kind: 'charge', answer: 'succeeded', amount: 500, transaction: 'txn-1', object: 'pi_1' },
      },
    ])
    expect(await targets('target=rail:r-1')).toEqual(['rail:r-1'])
  })

  test('200: the id of a payment also finds the changes of its charges', async () => {
    const { id: intent } = await confirmedIntent(api, 'staysPending')
    const { body } = await omar.get(`/payment_intents/${intent}`)
    const [charge] = body.charges
    await omar.post(`/charges/${charge.id}/resolve`, { outcome: 'failed', reason: 'Not in the portal.' })
    await omar.post(`/payment_intents/${intent}/cancel`, { reason: 'No longer wanted.' })
    expect(await targets(`target=${intent}`)).toEqual([intent, charge.id])
    expect(await targets(`target=${charge.id}`)).toEqual([charge.id])
  })

  test('400: an unknown action', async () => {
    expect(await omar.get('/audit_entries?action=x')).toBeRefusal('invalid_request', 'action')
  })
})

describe('dash.auditEntries.listColleagues', () => {
  test('200: everybody who has an entry, once, by name', async () => {
    const { body } = await omar.get('/colleagues')
    expect(body).toEqual({
      object: 'list',
      url: '/dash/v1/colleagues',
      has_more: false,
      data: [
        { id: 'ada', object: 'staff_colleague', name: 'Ada Admin' },
        { id: 'operator:amina', object: 'staff_colleague', name: 'amina' },
        { id: 'omar', object: 'staff_colleague', name: 'Omar Operator' },
      ],
    })
  })
})

test('each committed entry is one log line, with its head of the chain and no personal data', async () => {
  const told = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'audit entry')
  const before = told().length
  const { id } = await createIntent(api)
  const path = `/payment_intents/${id}/cancel`
  const { body } = await omar.post(path, { reason: 'Zoé asked for it.' }, { key: 'told-once' })
  await omar.post(path, { reason: 'Zoé asked for it.' }, { key: 'told-once' })
  await omar.post(path, { reason: 'Again.' })
  const { position, hash } = await api.db.reader
    .selectFrom('audit_chain')
    .select(['position', 'hash'])
    .where('entry_id', '=', body.id.slice('au_'.length))
    .executeTakeFirstOrThrow()
  const head = { position, hash: hash.toString('hex') }
  expect(told().slice(before)).toEqual([
    {
      level: 'info',
      time: expect.any(Number),
      app: 'api',
      msg: 'audit entry',
      audit_entry: body.id,
      action: 'payment_intent.cancel',
      request_id: body.request_id,
      head: `${head.position}:${head.hash}`,
    },
  ])
  expect(await verifyAuditChain(api.databaseUrl, [head])).toEqual({ intact: true, head })
})
