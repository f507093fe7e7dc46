import { get } from 'node:http'
import { inflateRawSync } from 'node:zlib'
import type { FinanceDay } from '@merchant-payments/contract'
import { SETTLED_AFTER_MS } from '@merchant-payments/db'
import { lockTable } from '@merchant-payments/testing'
import { connect as connectTo } from '@merchant-payments/testing/client'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { PUSH_RAIL, settle } from '../harness.ts'
import { confirmCall, createIntent, succeededIntent } from '../steps.ts'
import { payTwice } from './paid-twice.ts'
import { advanceToNoon, type StaffMember, startStaffApi } from './staff.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

const api = await startStaffApi()
const vera = await api.signInAs('vera')
const omar = await api.signInAs('omar')
afterAll(() => api.stop())

const noKey = { headers: { 'idempotency-key': undefined } }
/** Lets a file that begins now have every row that there is. */
const settleRows = (of: Pick<typeof api, 'advance'> = api) => of.advance(SETTLED_AFTER_MS + 1_000)
const make = (who: StaffMember, form: Readonly<Record<string, string>> = {}) =>
  who.post('/exports', form, noKey)

interface Loaded {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly bytes: Buffer
}

/** Loads a path as a browser does, without reading it as JSON. */
const load = (who: StaffMember, path: string, from = api): Promise<Loaded> =>
  new Promise((resolve, reject) => {
    const cookie = Array.from(who.cookies, ([name, value]) => `${name}=${value}`).join('; ')
    get(`${from.origin}${path}`, { headers: { cookie } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes: Buffer.concat(chunks),
        }),
      )
    }).on('error', reject)
  })

async function linesOf(
  who: StaffMember,
  form: Readonly<Record<string, string>>,
  from = api,
): Promise<string[]> {
  settleRows(from)
  const { body } = await make(who, form)
  const { bytes } = await load(who, body.url, from)
  return bytes.toString().replace('\uFEFF', '').trimEnd().split('\r\n')
}

/** The text of a file in a zip archive whose sizes follow the data. */
function unzip(bytes: Buffer, name: string): string {
  let at = bytes.lastIndexOf('PK\u0005\u0006')
  at = bytes.readUInt32LE(at + 16)
  while (bytes.readUInt32LE(at) === 0x02014b50) {
    const size = bytes.readUInt32LE(at + 20)
    const nameLength = bytes.readUInt16LE(at + 28)
    const offset = bytes.readUInt32LE(at + 42)
    if (bytes.toString('utf8', at + 46, at + 46 + nameLength) === name) {
      const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28)
      return inflateRawSync(bytes.subarray(start, start + size)).toString()
    }
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  throw new Error(`no file ${name}`)
}

const more = (description: string) => `&description=${encodeURIComponent(description)}`

const nameTime = (sec: number) =>
  `${new Date(sec * 1_000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`

const timeIn = (sec: number, offsetSec: number) =>
  new Date((sec + offsetSec) * 1_000).toISOString().slice(0, 19).replace('T', ' ')

describe('dash.exports.create', () => {
  test('200: a file of payments in the zone of the reader, with an audit entry', async () => {
    const { id } = await succeededIntent(api)
    settleRows()
    const { status, body } = await make(vera, { of: 'payment_intents', zone: 'douala', merchant: 'acme' })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { object: 'export', of: 'payment_intents', format: 'csv', url: `/dash/v1/exports/${body.id}` },
    })
    const { status: loaded, headers, bytes } = await load(vera, body.url)
    expect(loaded).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="payment_intents-${nameTime(body.from)}-${nameTime(body.until)}.csv"`,
      'cache-control': 'no-store',
    })
    const text = bytes.toString()
    expect(text.slice(0, 40)).toBe('\uFEFFmerchant,created (Africa/Douala),payment'.slice(0, 40))
    const { created, amount } = (await vera.get(`/payment_intents/${id}`)).body
    expect(text).toContain(`acme,${timeIn(created, 3_600)},${id},succeeded,${amount},0,XAF,${PUSH_RAIL},ch_`)
    const [entry] = (await vera.get('/audit_entries?action=export.create')).body.data
    expect(entry).toMatchObject({
      id: body.id,
      action: 'export.create',
      actor: { subject: 'vera' },
      target: 'payment_intents',
      merchant: 'acme',
      reason: null,
      after: { of: 'payment_intents', format: 'csv', zone: 'douala', rail: null },
    })
  })

  test('200: no file holds a payer’s number', async () => {
    await succeededIntent(api)
    // A rail may write a number into the field of its code.
    const named = { rail_code: 'FOR_237670000001' }
    await api.db.transact((tx) => tx.updateTable('charges').set(named).execute())
    for (const of of ['payment_intents', 'charges', 'refunds', 'finance_summary']) {
      expect((await linesOf(vera, { of })).join('\n')).not.toMatch(/2376\d{8}/)
    }
  })

  test('200: a text that a spreadsheet would run is defused, and amounts stay numbers', async () => {
    const { id } = await createIntent(api, more('=HYPERLINK("http://evil.example")'))
    const line = (await linesOf(vera, { of: 'payment_intents' })).find((one) => one.includes(id))
    expect(line).toContain(`"'=HYPERLINK(""http://evil.example"")"`)
    expect(line).toMatch(/,requires_payment_method,\d+,0,XAF,/)
  })

  test('200: XLSX has the same cells, and texts are never formulas', async () => {
    const { id } = await createIntent(api, more('=1+1 <&>\u0001'))
    settleRows()
    const { body } = await make(vera, { of: 'payment_intents', format: 'xlsx' })
    const { headers, bytes } = await load(vera, body.url)
    expect(headers['content-type']).toContain('spreadsheetml.sheet')
    const sheet = unzip(bytes, 'xl/worksheets/sheet1.xml')
    expect(sheet).toContain(`<t xml:space="preserve">${id}</t>`)
    expect(sheet).toContain('<t xml:space="preserve">=1+1 &lt;&amp;&gt;\uFFFD</t>')
    expect(sheet).not.toContain('<f>')
    expect(sheet.endsWith('</sheetData></worksheet>')).toBe(true)
    expect(unzip(bytes, 'xl/workbook.xml')).toContain('<sheet name="Export"')
  })

  test('200: more rows than one read, each once, and those of another rail left out', async () => {
    const shop = 'many'
    for (let n = 0; n < 260; n += 1) await createIntent(api, '', { merchant: shop })
    const lines = await linesOf(vera, { of: 'payment_intents', merchant: shop })
    expect(lines).toHaveLength(261)
    expect(new Set(lines).size).toBe(261)
    const ids = lines.slice(1).map((line) => line.split(',')[2])
    expect(ids).toEqual(ids.toSorted((one = '', other = '') => (one < other ? -1 : 1)))
    expect(await linesOf(vera, { of: 'payment_intents', merchant: shop, rail: PUSH_RAIL })).toHaveLength(1)
  })

  test('200: two files, one from where the other ends, have a payment that is committed between them', async () => {
    const unlock = await lockTable(api.databaseUrl, 'payment_intents', 'exclusive')
    const making = createIntent(api)
    const other = await connectTo(api.databaseUrl)
    onTestFinished(() => other.end())
    const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await other.query(waits)).rowCount).toBe(1)
    api.advance(1_500)
    const { body: first } = await make(vera)
    const inFirst = (await load(vera, first.url)).bytes.toString()
    await unlock()
    const { id } = await making
    const second = await linesOf(vera, { 'created[gte]': String(first.until) })
    expect([inFirst.includes(id), second.filter((line) => line.includes(id)).length]).toEqual([false, 1])
  })

  test('200: a file of a time that is not settled yet is empty, and ends where it begins', async () => {
    const from = Math.floor(api.clock() / 1_000) - 1
    const { body } = await make(vera, { 'created[gte]': String(from), 'created[lt]': String(from + 60) })
    expect(body).toMatchObject({ from, until: from })
  })

  test('404: for another member, after its minutes, and for an entry that is no export', async () => {
    const { body } = await make(vera)
    expect((await load(omar, body.url)).status).toBe(404)
    expect((await load(vera, '/dash/v1/exports/x')).status).toBe(404)
    expect((await load(vera, body.url)).status).toBe(200)
    api.advance(6 * 60_000)
    expect((await load(vera, body.url)).status).toBe(404)
  })

  test('401: without a session', async () => {
    const { body } = await make(vera)
    expect((await load({ ...vera, cookies: new Map() }, body.url)).status).toBe(401)
  })

  test('400: more than 366 days, an unknown kind', async () => {
    const from = String(Math.floor(api.clock() / 1_000) - 367 * 86_400)
    expect(await make(vera, { 'created[gte]': from })).toBeRefusal('invalid_request', 'created')
    expect(await make(vera, { of: 'customers' })).toBeRefusal('invalid_request', 'of')
  })
})

describe('dash.finance.retrieve', () => {
  test('200: payments, duplicates, refunds and returns of a day, on the day of the zone', async () => {
    const own = await startStaffApi()
    const member = await own.signInAs('omar')
    const paid = await succeededIntent(own)
    const form = { amount: '100', reason: 'A part is missing.' }
    expect((await member.post(`/payment_intents/${paid.id}/refund`, form)).status).toBe(200)
    const { intent, charge } = await payTwice(own, member)
    await member.post(`/charges/${charge.id}/return`, { reason: 'Paid twice.' })
    const amounts = await Promise.all(
      [paid.id, intent].map(async (id) => (await member.get(`/payment_intents/${id}`)).body.amount as number),
    )
    const [first = 0, second = 0] = amounts
    settleRows(own)
    const { body } = await member.get('/finance_summary?zone=douala')
    const sums = body.days.reduce(
      (all: Record<string, number>, day: Record<string, number>) => ({
        payments: (all['payments'] ?? 0) + (day['payments'] ?? 0),
        gross: (all['gross'] ?? 0) + (day['gross'] ?? 0),
        duplicates_amount: (all['duplicates_amount'] ?? 0) + (day['duplicates_amount'] ?? 0),
        refunds_amount: (all['refunds_amount'] ?? 0) + (day['refunds_amount'] ?? 0),
        returns_amount: (all['returns_amount'] ?? 0) + (day['returns_amount'] ?? 0),
        net: (all['net'] ?? 0) + (day['net'] ?? 0),
      }),
      {},
    )
    expect(sums).toEqual({
      payments: 2,
      gross: first + second,
      duplicates_amount: second,
      refunds_amount: 100,
      returns_amount: second,
      net: first + second - 100,
    })
    const { created } = (await member.get(`/payment_intents/${paid.id}`)).body
    expect(body.days.map(({ day }: { day: string }) => day)).toContain(timeIn(created, 3_600).slice(0, 10))
    expect((await member.get('/finance_summary?merchant=globex')).body.days).toEqual([])
    await own.stop()
  })

  test('200: the days of several merchants, and the same sums in the file', async () => {
    const own = await startStaffApi()
    advanceToNoon(own)
    const paid: string[] = []
    for (const days of [0, 2, 3]) {
      own.advance(days * DAY_MS)
      for (const merchant of ['globex', 'acme', 'globex']) {
        const { id, amount } = await createIntent(own, '', { merchant })
        await own.call(confirmCall(id, 'approves', { merchant }))
        await settle(own)
        const day = new Date(own.clock()).toISOString().slice(0, 10)
        paid.push(`${merchant} ${day} ${amount}`)
      }
    }
    settleRows(own)
    const member = await own.signInAs('omar')
    const { body } = await member.get('/finance_summary')
    const found = body.days.map(
      ({ merchant, day, payments, gross }: FinanceDay) =>
        `${merchant} ${day} ${gross / payments} ${payments}`,
    )
    const counts = Map.groupBy(paid, (line) => line)
    expect(found).toEqual([...counts].map(([line, same]) => `${line} ${same.length}`).toSorted())
    const asked = {
      of: 'finance_summary',
      'created[gte]': String(body.from),
      'created[lt]': String(body.until),
    }
    const lines = (await linesOf(member, asked, own)).slice(1).map((line) => line.split(','))
    const ofDays = lines.map(
      ([day = '', merchant, , , payments]) => `${merchant} ${day.slice(0, 10)} ${payments}`,
    )
    expect(ofDays.toSorted()).toEqual(
      body.days.map(({ merchant, day, payments }: FinanceDay) => `${merchant} ${day} ${payments}`),
    )
    const days = lines.map(([day = '']) => day)
    expect(days).toEqual(days.toSorted((one, other) => one.localeCompare(other)))
    await own.stop()
  })

  test('200: without dates, from the start of a day of the zone, in the file as on the screen', async () => {
    const own = await startStaffApi({ clock: 'still' })
    const startMs = Math.ceil(own.clock() / DAY_MS) * DAY_MS
    own.advance(startMs + 10 * HOUR_MS - own.clock())
    await succeededIntent(own)
    own.advance(2 * HOUR_MS)
    await succeededIntent(own)
    own.advance(7 * DAY_MS - HOUR_MS)
    const member = await own.signInAs('vera')
    const { from, until, days } = (await member.get('/finance_summary?zone=utc')).body
    expect(from).toBe(startMs / 1_000)
    expect(days).toMatchObject([{ payments: 2 }])
    const file = (await make(member, { of: 'finance_summary', zone: 'utc' })).body
    expect(file).toMatchObject({ from, until })
    const douala = (await member.get('/finance_summary?zone=douala')).body
    expect(douala.from).toBe(startMs / 1_000 - 3_600)
    expect((await make(member, { of: 'finance_summary', zone: 'douala' })).body.from).toBe(douala.from)
    await own.stop()
  })

  test('400: more than 31 days', async () => {
    const from = Math.floor((api.clock() - 32 * DAY_MS) / 1_000)
    expect(await vera.get(`/finance_summary?created[gte]=${from}`)).toBeRefusal('invalid_request', 'created')
  })
})
