import type { AuditEntry } from '@merchant-payments/contract'
import { READ_SHARED_MS } from '@merchant-payments/core'
import { verifyAuditChain } from '@merchant-payments/db'
import { dumpDatabase } from '@merchant-payments/testing/dump'
import { afterAll, describe, expect, test } from 'vitest'
import { createCustomer } from '../customer-steps.ts'
import { canceledIntent, createIntent } from '../steps.ts'
import { handleOf, startStaffApi } from './staff.ts'
import { fanOutToMain } from './webhooks.ts'

const lines: string[] = []
const api = await startStaffApi({ onLogLine: (line) => lines.push(line) })
const vera = await api.signInAs('vera')
const omar = await api.signInAs('omar')
const ada = await api.signInAs('ada')
afterAll(() => api.stop())

const entriesOf = async (query: string) => (await ada.get(`/audit_entries?${query}`)).body.data
const newest = async (action: string) => (await entriesOf(`action=${action}&limit=1`))[0]
const countOf = async (query: string) => (await entriesOf(`${query}&limit=100`)).length

interface Line {
  readonly msg: string
  readonly request_id: string
  readonly staff?: string
}
const lineOf = (msg: string, requestId: unknown): Line | undefined =>
  lines.map((line) => JSON.parse(line) as Line).find((one) => one.msg === msg && one.request_id === requestId)

describe('a look-up by number', () => {
  test('writes an entry with its author, also for a viewer, and a keyed hash instead of the number', async () => {
    await createCustomer(api, 'phone=677001122')
    const { status, headers } = await vera.lookUp('+237 677 00 11 22')
    expect(status).toBe(200)
    const entry = await newest('number.look_up')
    expect(entry).toMatchObject({
      actor: { subject: 'vera', role: 'viewer' },
      target: expect.stringMatching(/^num_hash_1v[\w-]{43}$/),
      merchant: null,
      reason: null,
      before: {},
      after: { found: 1 },
      request_id: headers['request-id'],
    })
    await vera.lookUp('677001122')
    await omar.lookUp('677001123')
    expect(await countOf(`target=${entry.target}`)).toBe(2)
    expect((await newest('number.look_up')).target).not.toBe(entry.target)
    const dump = await dumpDatabase(api.databaseUrl)
    const rows = [...dump].flatMap(([table, of]) => (table.endsWith('.audit_entries') ? of : []))
    expect(rows.length).toBeGreaterThan(2)
    expect(rows.filter((row) => /67700112[23]/.test(row))).toEqual([])
  })

  test('writes no entry for an id or a reference', async () => {
    const { id } = await createCustomer(api, 'name=Awa')
    const before = await countOf('actor=ada')
    for (const text of [id, 'A-1042', 'pi_0193f2d5e0a07c3e9b1a2b3c4d5e6f70']) await ada.lookUp(text)
    expect(await countOf('actor=ada')).toBe(before)
  })

  test('by a name or an e-mail writes an entry of its own kind, with a keyed hash of the text', async () => {
    await createCustomer(api, 'name=Odile+Manga&email=odile@example.com')
    await vera.lookUp('Odile Manga')
    const entry = await newest('person.look_up')
    expect(entry).toMatchObject({
      actor: { subject: 'vera' },
      target: expect.stringMatching(/^per_hash_1v[\w-]{43}$/),
      merchant: null,
      reason: null,
      after: { found: 1 },
    })
    await omar.lookUp('odile manga')
    await omar.lookUp('odile@example.com')
    expect(await countOf(`target=${entry.target}`)).toBe(2)
    const dump = await dumpDatabase(api.databaseUrl)
    const rows = [...dump].flatMap(([table, of]) => (table.endsWith('.audit_entries') ? of : []))
    expect(rows.filter((row) => /odile/i.test(row))).toEqual([])
    expect(lines.join('\n')).not.toMatch(/odile/i)
  })

  test.each(['/payment_intents', '/customers'])(
    'stands for %s under its handle, and a colleague who follows the link has an entry of their own',
    async (list) => {
      const own = await startStaffApi()
      const [asks, follows] = [await own.signInAs('vera'), await own.signInAs('omar')]
      const payer = await handleOf(asks, '677001144')
      for (const who of [asks, follows, follows, asks]) {
        expect((await who.get(`${list}?payer=${payer}`)).status).toBe(200)
      }
      await follows.get(list)
      const { data } = (await asks.get('/audit_entries')).body
      expect(data.map(({ actor }: { actor: { subject: string } }) => actor.subject)).toEqual(['omar', 'vera'])
      expect(data[0]).toMatchObject({ action: 'number.look_up', target: data[1].target, merchant: null })
      await own.stop()
    },
  )
})

describe('an event of a customer', () => {
  test('writes an entry of the customer when its body or its delivery is shown, and once in ten minutes', async () => {
    const own = await startStaffApi()
    const [one, two] = [await own.signInAs('vera'), await own.signInAs('omar')]
    const { id } = await createCustomer(own, 'name=Dina')
    await fanOutToMain(own)
    const [event] = (await one.get('/events?type=customer.created')).body.data
    const [delivery] = (await one.get('/deliveries')).body.data
    const readers = async () =>
      (await one.get(`/audit_entries?target=${id}`)).body.data.map(
        ({ action, actor, merchant }: AuditEntry) => [action, actor.subject, merchant],
      )
    expect(await readers()).toEqual([])
    const { body, headers } = await one.get(`/events/${event.id}`)
    expect(body.body).toContain('Dina')
    expect(await readers()).toEqual([['customer.view', 'vera', 'acme']])
    expect((await one.get('/audit_entries')).body.data[0].request_id).toBe(headers['request-id'])
    expect((await one.get(`/deliveries/${delivery.id}`)).body.event_text).toBe(body.body)
    await one.get(`/customers/${id}`)
    expect(await readers()).toHaveLength(1)
    await two.get(`/deliveries/${delivery.id}`)
    expect(await readers()).toEqual([
      ['customer.view', 'omar', 'acme'],
      ['customer.view', 'vera', 'acme'],
    ])
    await own.stop()
  })

  test('is the only kind that writes an entry, because an event of a payment shows no person', async () => {
    const { id } = await canceledIntent(api)
    await fanOutToMain(api)
    const before = await countOf('actor=vera')
    const [event] = (await vera.get('/events?type=payment_intent.canceled')).body.data
    const [delivery] = (await vera.get(`/deliveries?event=${event.id}`)).body.data
    expect((await vera.get(`/events/${event.id}`)).body.body).toContain(id)
    expect((await vera.get(`/deliveries/${delivery.id}`)).status).toBe(200)
    expect(await countOf('actor=vera')).toBe(before)
  })
})

describe('the list of customers', () => {
  test('writes an entry for each staff member who sees a person in it, once in ten minutes', async () => {
    const own = await startStaffApi()
    const [one, two] = [await own.signInAs('vera'), await own.signInAs('ada')]
    const entries = async () => (await one.get('/audit_entries')).body.data
    await one.get('/customers')
    expect(await entries()).toEqual([])
    const { id } = await createCustomer(own, 'name=Eda')
    await createCustomer(own, 'name=Fon', { merchant: 'globex' })
    const { headers } = await one.get('/customers?merchant=acme')
    await one.get(`/customers?ending_before=${id}`)
    expect(await entries()).toEqual([
      expect.objectContaining({
        action: 'person.look_up',
        actor: expect.objectContaining({ subject: 'vera', role: 'viewer' }),
        target: 'customers',
        merchant: null,
        reason: null,
        request_id: headers['request-id'],
      }),
    ])
    await two.get('/customers')
    expect(await entries()).toHaveLength(2)
    own.advance(READ_SHARED_MS + 60_000)
    await one.get('/customers')
    expect(await entries()).toHaveLength(3)
    await own.stop()
  })

  test('writes no entry if all listed customers are erased', async () => {
    const own = await startStaffApi()
    const admin = await own.signInAs('ada')
    const { id } = await createCustomer(own, 'name=Gil')
    await createIntent(own, `&customer=${id}`)
    await admin.post(`/customers/${id}/erase`, { reason: 'Asked for.' })
    const { data } = (await admin.get('/customers')).body
    expect(data).toMatchObject([{ id, erased_at: expect.any(Number) }])
    expect((await admin.get('/audit_entries?action=person.look_up')).body.data).toEqual([])
    await own.stop()
  })
})

describe('a customer who is opened', () => {
  test('writes one entry in ten minutes for each staff member', async () => {
    const own = await startStaffApi()
    const [one, two] = [await own.signInAs('vera'), await own.signInAs('ada')]
    const { id } = await createCustomer(own, 'name=Bea', { merchant: 'globex' })
    const views = async () => (await one.get(`/audit_entries?target=${id}`)).body.data
    await one.get(`/customers/${id}`)
    await one.get(`/customers/${id}`)
    expect(await views()).toEqual([
      expect.objectContaining({
        action: 'customer.view',
        actor: expect.objectContaining({ subject: 'vera', role: 'viewer' }),
        merchant: 'globex',
        reason: null,
        before: {},
        after: {},
      }),
    ])
    await two.get(`/customers/${id}`)
    expect(await views()).toHaveLength(2)
    own.advance(READ_SHARED_MS + 60_000)
    await one.get(`/customers/${id}`)
    expect(await views()).toHaveLength(3)
    await own.stop()
  })

  test('writes no entry if the customer does not exist', async () => {
    const id = 'cus_0193f2d5e0a07c3e9b1a2b3c4d5e6f70'
    expect(await vera.get(`/customers/${id}`)).toBeRefusal('resource_missing')
    expect(await countOf(`target=${id}`)).toBe(0)
  })
})

test('an entry of a read has its log line, and its place in the chain', async () => {
  const { id } = await createCustomer(api, 'name=Cid')
  const { headers } = await vera.get(`/customers/${id}`)
  expect(lineOf('audit entry', headers['request-id'])).toMatchObject({
    action: 'customer.view',
    audit_entry: (await newest('customer.view')).id,
    head: expect.stringMatching(/^\d+:[0-9a-f]{64}$/),
  })
  expect(await verifyAuditChain(api.databaseUrl, [])).toMatchObject({ intact: true })
})

test('the log line of each request names the staff member and the object, and never the number', async () => {
  const NUMBER = '677001166'
  const { id } = await createCustomer(api, `phone=${NUMBER}`)
  const payment = (await createIntent(api)).id
  const asked = await vera.lookUp(NUMBER)
  const answers: [string, string | null, { headers: Readonly<Record<string, unknown>> }][] = [
    ['/dash/v1/lookup', null, asked],
    ['/dash/v1/customers', null, await vera.get(`/customers?payer=${asked.body.payer}`)],
    ['/dash/v1/customers/:id', id, await vera.get(`/customers/${id}`)],
    ['/dash/v1/payment_intents/:id', payment, await vera.get(`/payment_intents/${payment}`)],
    ['/dash/v1/customers/:id', null, await vera.get(`/customers/${NUMBER}`)],
  ]
  for (const [route, object, { headers }] of answers) {
    expect(lineOf('request', headers['request-id'])).toMatchObject({ route, staff: 'vera', object })
  }
  expect(lines.join('\n')).not.toContain(NUMBER)
})
