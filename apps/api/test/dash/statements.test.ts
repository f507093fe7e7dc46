import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { STATEMENT_PART_BYTES_MAX } from '@merchant-payments/contract'
import { connect as connectTo } from '@merchant-payments/testing/client'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { SESSION_COOKIE } from '../../src/dash/cookies.ts'
import { instruct, PUSH_RAIL, settle } from '../harness.ts'
import { createRefund, readRefund } from '../refunds.ts'
import { confirmCall, confirmedIntent, createIntent, succeededIntent } from '../steps.ts'
import { approve } from './approvals.ts'
import { payTwice } from './paid-twice.ts'
import { advanceToNoon, startStaffApi } from './staff.ts'
import {
  begin,
  compare,
  comparedStatement,
  heads,
  nextDay,
  partHeadersOf,
  sendLines,
  uploaded,
} from './statement-files.ts'

const api = await startStaffApi()
advanceToNoon(api)
const vera = await api.signInAs('vera')
const omar = await api.signInAs('omar')
const olga = await api.signInAs('olga')
afterAll(() => api.stop())

interface Charge {
  readonly id: string
  readonly status: string
  readonly payer_msisdn: string
  readonly reference: string
  readonly amount: number
  readonly settled_at: number
}

const chargesOf = async (intent: string): Promise<Charge[]> =>
  (await omar.get(`/payment_intents/${intent}`)).body.charges

const line = (reference: string, amount: number, { transaction = 'T1', kind = 'Debit' } = {}) =>
  `${transaction},${reference},2026-11-21 10:00:00,Successful,${kind},${amount}`

/** The day of an instant in the operator's zone. */
const dayOf = (sec: number) => new Date((sec + 3_600) * 1_000).toISOString().slice(0, 10)

const shown = async (id: string, query = '') => (await vera.get(`/statements/${id}${query}`)).body

describe('dash.statements.create', () => {
  test('200: a statement of a day, which replaces an earlier one', async () => {
    const day = nextDay()
    const first = await begin(omar, day)
    const { status, body } = await omar.post('/statements', { rail: PUSH_RAIL, day, reason: 'A newer file.' })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        action: 'statement.create',
        target: expect.stringMatching(/^st_[0-9a-f]{32}$/),
        merchant: null,
        reason: 'A newer file.',
        after: { rail: PUSH_RAIL, day, status: 'reading' },
      },
    })
    expect((await shown(first)).status).toBe('replaced')
    expect(await shown(body.target)).toMatchObject({ day, rail: PUSH_RAIL, status: 'reading', lines: 0 })
  })

  test('400: a rail without columns, an invalid day', async () => {
    const form = { rail: 'orange_money_cm', day: nextDay(), reason: 'x' }
    expect(await omar.post('/statements', form)).toBeRefusal('invalid_request', 'rail')
    for (const day of ['2026-02-30x', '2026-02-30', '2026-04-31', '0000-01-01', '1970-01-01', '1999-12-31']) {
      expect(await omar.post('/statements', { ...form, rail: PUSH_RAIL, day })).toBeRefusal(
        'invalid_request',
        'day',
      )
    }
  })

  test('409: a closed day', async () => {
    const day = nextDay()
    const id = await uploaded(api, omar, [], day)
    await omar.post(`/statements/${id}/close`, { reason: 'Done.' })
    const form = { rail: PUSH_RAIL, day, reason: 'Again.' }
    expect(await omar.post('/statements', form)).toBeRefusal('statement_closed')
  })

  test('409: a day that another member begins at the same time, which nobody has closed', async () => {
    const form = { rail: PUSH_RAIL, day: nextDay(), reason: 'The statement of the day.' }
    const other = await connectTo(api.databaseUrl)
    onTestFinished(() => other.end())
    await other.query('begin')
    await other.query(
      `insert into statements (id, rail, day, from_at, until_at, status, created_by, created_name, created_at)
        values (gen_random_uuid(), $1, $2, $2::date, $2::date + 1, 'reading', 'olga', 'Olga', now())`,
      [form.rail, form.day],
    )
    const answer = omar.post('/statements', form)
    const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await other.query(waits)).rowCount).toBe(1)
    await other.query('commit')
    expect(await answer).toBeRefusal('statement_begun')
    expect((await omar.post('/statements', form)).status).toBe(200)
  })
})

describe('the lines of a statement', () => {
  test('200: a part that was taken before changes nothing', async () => {
    const id = await begin(omar)
    const part = `${heads}\n${line('r1', 100)}\n`
    expect((await sendLines(api, omar, `${id}/lines?part=0`, part)).body).toMatchObject({
      parts: 1,
      lines: 1,
    })
    expect((await sendLines(api, omar, `${id}/lines?part=0`, part)).body).toMatchObject({
      parts: 1,
      lines: 1,
    })
    const second = `${line('r2', 50, { kind: 'Cash in' })}\n`
    expect((await sendLines(api, omar, `${id}/lines?part=1`, second)).body).toMatchObject({
      parts: 2,
      lines: 2,
      money_lines: 2,
      charges_sum: 100,
      payouts_sum: 50,
    })
  })

  test('200: a part is taken without a look at payments, whose table somebody locks', async () => {
    const id = await begin(omar)
    const other = await connectTo(api.databaseUrl)
    onTestFinished(() => other.end())
    await other.query('begin; lock table charges in access exclusive mode')
    const part = `${heads}\n${line('r1', 100)}\n`
    expect((await sendLines(api, omar, `${id}/lines?part=0`, part)).body).toMatchObject({ lines: 1 })
  })

  test('200: a part of hundreds of kilobytes', async () => {
    const id = await begin(omar)
    const lines = Array.from({ length: 8_000 }, (_, n) => line(`many-${n}`, 100, { transaction: `M${n}` }))
    const text = [heads, ...lines].join('\n')
    expect(text.length).toBeGreaterThan(400_000)
    expect((await sendLines(api, omar, `${id}/lines?part=0`, text)).body).toMatchObject({ lines: 8_000 })
  })

  test('400, 403, 404, 409 and 413: what is no part of the file', async () => {
    const id = await begin(omar)
    const path = `${id}/lines?part=0`
    const part = `${heads}\n${line('r1', 100)}\n`
    expect(await sendLines(api, omar, path, 'a,b\n1,2\n')).toBeRefusal('invalid_request')
    expect(await sendLines(api, omar, path, part, { 'content-type': 'text/html' })).toBeRefusal(
      'invalid_request',
    )
    expect(await sendLines(api, omar, path, new Uint8Array([0xff, 0xfe]))).toBeRefusal('invalid_request')
    expect(await sendLines(api, omar, `${id}/lines`, part)).toBeRefusal('invalid_request', 'part')
    expect(await sendLines(api, omar, `${id}/lines?part=1`, part)).toBeRefusal('invalid_request', 'part')
    expect(await sendLines(api, vera, path, part)).toBeRefusal('forbidden')
    expect(await sendLines(api, omar, path, part, { origin: 'http://evil.example' })).toBeRefusal('forbidden')
    expect(await sendLines(api, omar, `st_${'0'.repeat(32)}/lines?part=0`, part)).toBeRefusal(
      'resource_missing',
    )
    expect((await sendLines(api, omar, path, 'x'.repeat(1_100_000))).status).toBe(413)
    const compared = await comparedStatement(api)
    expect(await sendLines(api, omar, `${compared}/lines?part=1`, line('r', 1))).toBeRefusal(
      'statement_not_open',
    )
  })
})

describe('a line that cannot be taken', () => {
  const broken = line('r1', 100).replace(',100', ',x')

  test('400: names the line of the file, or that of the part for a page that does not count', async () => {
    const id = await begin(omar)
    await sendLines(api, omar, `${id}/lines?part=0&lines_before=0`, `\n${heads}\n${line('r1', 100)}\n`)
    const messageOf = async (query: string) =>
      (await sendLines(api, omar, `${id}/lines?part=1${query}`, `${broken}\n`)).body.error.message
    expect(await messageOf('&lines_before=3')).toContain('line 4 of the file: the amount is no number')
    expect(await messageOf('')).toContain('line 1 of the part: the amount is no number')
    const noNumber = await sendLines(api, omar, `${id}/lines?part=1&lines_before=x`, broken)
    expect(noNumber).toBeRefusal('invalid_request', 'lines_before')
  })

  test.each([
    ['a NUL in the transaction', line('r1', 100, { transaction: 'T\0' })],
    ['a NUL in the reference', line('r\0', 100)],
    ['a field too many', `${line('r1', 100)},000`],
    ['sums that are too large', `${line('r1', 9_999_999_999_999)}\n`.repeat(1_000)],
  ])('400: %s', async (_, text) => {
    const id = await begin(omar)
    expect(await sendLines(api, omar, `${id}/lines?part=0`, `${heads}\n${text}\n`)).toBeRefusal(
      'invalid_request',
    )
    expect(await shown(id)).toMatchObject({ parts: 0, lines: 0 })
  })

  test('400: heads with a NUL', async () => {
    const id = await begin(omar)
    const text = `${heads},No\0te\n${line('r1', 100)},x\n`
    expect(await sendLines(api, omar, `${id}/lines?part=0`, text)).toBeRefusal('invalid_request')
  })

  test('400: sums that are too large with the parts before', async () => {
    const id = await begin(omar)
    const many = `${line('r1', 9_999_999_999_999)}\n`.repeat(600)
    expect((await sendLines(api, omar, `${id}/lines?part=0`, `${heads}\n${many}`)).status).toBe(200)
    expect(await sendLines(api, omar, `${id}/lines?part=1`, many)).toBeRefusal('invalid_request')
    expect(await shown(id)).toMatchObject({ parts: 1, lines: 600 })
  })

  test.each(['0000-01-01 00:00:00', '0001-01-01 00:00:00'])('200: the time %s is left out', async (time) => {
    const id = await uploaded(api, omar, [line('r1', 100).replace('2026-11-21 10:00:00', time)])
    expect((await shown(id)).differences).toMatchObject([{ reference: 'r1', at: null }])
  })
})

describe('a part whose bytes arrive slowly', () => {
  /** Sends the head of a part of a megabyte, and one byte of it. */
  function sendHead(id: string, headers: Readonly<Record<string, string>>): Socket {
    const { hostname, port } = new URL(api.origin)
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const head = [`POST /dash/v1/statements/${id}/lines?part=0 HTTP/1.1`, 'host: a', ...lines]
    socket.write([...head, `content-length: ${STATEMENT_PART_BYTES_MAX}`, '', 'x'].join('\r\n'))
    return socket
  }
  const statusOf = async (socket: Socket) => {
    const [bytes] = (await once(socket, 'data')) as [Buffer]
    return Number(/^HTTP\/1.1 (\d+)/.exec(bytes.toString())?.[1])
  }

  test('is refused before it is read if nobody is signed in', async () => {
    const id = await begin(omar)
    const { cookie: _, ...headers } = partHeadersOf(omar)
    expect(await statusOf(sendHead(id, headers))).toBe(401)
    expect(await statusOf(sendHead(id, { ...headers, cookie: `${SESSION_COOKIE}=made-up` }))).toBe(401)
    expect(await statusOf(sendHead(id, partHeadersOf(vera)))).toBe(403)
  })

  test('is refused while eight others are read, and taken once one of them has ended', async () => {
    const id = await begin(omar)
    const sockets = Array.from({ length: 9 }, () => sendHead(id, partHeadersOf(omar)))
    expect(await Promise.race(sockets.map(statusOf))).toBe(503)
    expect(await sendLines(api, omar, `${id}/lines?part=0`, heads)).toBeRefusal('service_unavailable')
    for (const socket of sockets) socket.destroy()
    await expect.poll(async () => (await sendLines(api, omar, `${id}/lines?part=0`, heads)).status).toBe(200)
  })

  test('does not count if its sender leaves while it is authenticated', async () => {
    const id = await begin(omar)
    // Four of each session, because one alone has fewer slots.
    const senders = [omar, await api.signInAs('omar')]
    const other = await connectTo(api.databaseUrl)
    onTestFinished(() => other.end())
    await other.query('begin; lock table staff_sessions')
    const sockets = Array.from({ length: 8 }, (_, n) => sendHead(id, partHeadersOf(senders[n % 2] ?? omar)))
    const running = () => api.figure('requests_running{surface="staff"}')
    await expect.poll(running).toBe(8)
    for (const socket of sockets) socket.destroy()
    await other.query('rollback')
    await expect.poll(running).toBe(0)
    expect((await sendLines(api, omar, `${id}/lines?part=0`, heads)).status).toBe(200)
  })
})

describe('dash.statements.compare', () => {
  test('200: each kind of difference, and what agrees', async () => {
    const agreed = await succeededIntent(api)
    const other = await succeededIntent(api)
    const missing = await succeededIntent(api)
    const { id: waiting } = await confirmedIntent(api, 'staysPending')
    const [same] = await chargesOf(agreed.id)
    const [differs] = await chargesOf(other.id)
    const [absent] = await chargesOf(missing.id)
    const [live] = await chargesOf(waiting)
    if (!same || !differs || !absent || !live) throw new Error('each has a charge')
    const id = await uploaded(
      api,
      omar,
      [
        line(same.reference.toUpperCase(), same.amount),
        line(differs.reference, differs.amount + 1, { transaction: 'T2' }),
        line(live.reference, live.amount, { transaction: 'T3' }),
        line('unknown', 700, { transaction: 'T4' }),
        line(same.reference, same.amount, { transaction: 'T5' }),
      ],
      dayOf(same.settled_at),
    )
    const detail = await shown(id)
    expect(detail).toMatchObject({
      status: 'matched',
      matched: 1,
      amount_differs: 1,
      theirs_only: 2,
      duplicate: 1,
    })
    const rows = Object.fromEntries(
      detail.differences.map(
        (row: { n: number; line: number | null; transaction: string; about: string }) => [
          row.line === null ? row.about : row.transaction,
          row,
        ],
      ),
    )
    expect(rows['T2']).toMatchObject({
      verdict: 'amount_differs',
      amount: differs.amount + 1,
      ledger_amount: differs.amount,
      ledger_currency: 'XAF',
      about: differs.id,
      charge_status: 'succeeded',
      merchant: 'acme',
    })
    expect(rows['T3']).toMatchObject({ verdict: 'theirs_only', about: live.id, charge_status: 'live' })
    expect(rows['T4']).toMatchObject({
      verdict: 'theirs_only',
      about: null,
      amount: 700,
      ledger_currency: null,
    })
    expect(rows['T5']).toMatchObject({ verdict: 'duplicate', about: same.id })
    expect(rows[absent.id]).toMatchObject({ verdict: 'ours_only', line: null, amount: null })
    expect((await shown(id, '?verdict=amount_differs')).differences).toHaveLength(1)
    expect((await shown(id, `?limit=1&after=${rows['T2'].n}`)).differences[0]).toEqual(rows['T3'])
  })

  test('200: a line of a charge for which the rail reports other money, with that money', async () => {
    const { id: intent } = await confirmedIntent(api, 'paysAnotherAmount')
    await settle(api)
    const [charge] = (await omar.get(`/payment_intents/${intent}`)).body.charges
    const { amount, currency } = charge.reported
    const id = await uploaded(api, omar, [line(charge.reference, charge.amount)])
    expect((await shown(id)).differences).toMatchObject([
      { about: charge.id, verdict: 'theirs_only', reported: { amount, currency } },
    ])
  })

  test('200: a duplicate charge that the statement lists, until it is returned', async () => {
    const { charge } = await payTwice(api, omar)
    const id = await uploaded(api, omar, [line(charge.reference, charge.amount)])
    const [row] = (await shown(id, '?verdict=duplicate')).differences
    expect(row).toMatchObject({
      about: charge.id,
      charge_status: 'duplicate',
      unproven: false,
      payer_known: true,
      returned: false,
    })
    expect(JSON.stringify(row)).not.toContain(charge.payer_msisdn)
    await omar.post(`/charges/${charge.id}/return`, { reason: 'Paid twice.' })
    expect((await shown(id, '?verdict=duplicate')).differences[0].returned).toBe(true)
  })

  test('200: a duplicate charge whose payer was erased', async () => {
    const { body: customer } = await api.call({ path: '/v1/customers', form: 'name=Awa' })
    const { charge } = await payTwice(api, omar, `&customer=${customer.id}`)
    const id = await uploaded(api, omar, [line(charge.reference, charge.amount)])
    await api.call({ method: 'DELETE', path: `/v1/customers/${customer.id}` })
    const { differences } = await shown(id, '?verdict=duplicate')
    expect(differences).toMatchObject([{ about: charge.id, payer_known: false }])
  })

  test('200: a duplicate charge that stands on a ruling alone', async () => {
    const { id: intent } = await createIntent(api)
    await api.call(confirmCall(intent, 'declines'))
    await settle(api)
    await api.call(confirmCall(intent, 'approves'))
    await settle(api, 2_000)
    const charge = (await chargesOf(intent)).find(({ status }) => status === 'failed')
    if (charge === undefined) throw new Error('one charge failed')
    const form = { outcome: 'succeeded', reason: 'It is in the portal.' }
    await approve(olga, await omar.post(`/charges/${charge.id}/resolve`, form))
    await settle(api)
    const id = await uploaded(api, omar, [line(charge.reference, charge.amount)])
    const { differences } = await shown(id, '?verdict=duplicate')
    expect(differences).toMatchObject([{ about: charge.id, charge_status: 'duplicate', unproven: true }])
  })

  test('200: what is missing is found in a later statement', async () => {
    const { id: intent } = await succeededIntent(api)
    const [charge] = await chargesOf(intent)
    if (charge === undefined) throw new Error('it has a charge')
    const day = dayOf(charge.settled_at)
    const first = await uploaded(api, omar, [], day)
    const isMissing = async () =>
      (await shown(first, '?verdict=ours_only&limit=100')).differences.some(
        ({ about }: { about: string }) => about === charge.id,
      )
    expect(await isMissing()).toBe(true)
    const before = (await shown(first)).ours_only
    await uploaded(api, omar, [line(charge.reference, charge.amount)], dayOf(charge.settled_at + 86_400))
    expect(await isMissing()).toBe(false)
    expect((await shown(first)).ours_only).toBe(before - 1)
  })

  test.each(['open', 'closed'])(
    '200: a refund that its rail refuses after the day was compared, of a day that is %s',
    async (state) => {
      const { id: intent } = await succeededIntent(api)
      const { id: refund } = await createRefund(api, intent, '', 'floatIsEmpty')
      const [{ created }] = (await omar.get(`/payment_intents/${intent}`)).body.refunds
      const first = await uploaded(api, omar, [], dayOf(created))
      const isMissing = async () =>
        (await shown(first, '?verdict=ours_only&limit=100')).differences.some(
          ({ about }: { about: string }) => about === refund,
        )
      expect(await isMissing()).toBe(true)
      const before = (await shown(first)).ours_only
      if (state === 'closed')
        await omar.post(`/statements/${first}/close`, { reason: 'The operator is asked.' })
      for (let n = 0; n < 3; n += 1) await instruct(api, 120_000)
      expect((await readRefund(api, refund)).body.status).toBe('failed')
      await uploaded(api, omar, [], dayOf(created + 86_400))
      expect(await isMissing()).toBe(state === 'closed')
      if (state === 'closed') await omar.post(`/statements/${first}/reopen`, { reason: 'A newer file came.' })
      expect(await isMissing()).toBe(false)
      expect((await shown(first)).ours_only).toBe(before - 1)
    },
  )

  test('200: a refund that the statement lists is shown as confirmed, and no event is written', async () => {
    const { id: intent } = await succeededIntent(api)
    await omar.post(`/payment_intents/${intent}/refund`, { amount: '100', reason: 'A part is missing.' })
    await instruct(api)
    const refundOf = async () => (await omar.get(`/refunds?payment_intent=${intent}`)).body.data[0]
    const refund = await refundOf()
    expect(refund).toMatchObject({ instruction: 'accepted', confirmed: null })
    const events = async () => (await api.call({ path: '/v1/events?limit=100' })).body.data.length
    const before = await events()
    const id = await uploaded(api, omar, [
      line(refund.reference, 100, { transaction: 'P1', kind: 'Cash in' }),
    ])
    expect(await refundOf()).toMatchObject({
      status: 'pending',
      confirmed: { statement: id, transaction: 'P1', at: expect.any(Number) },
    })
    expect(await events()).toBe(before)
  })

  test('200: the lines of a replaced statement count no more, before the new one is compared', async () => {
    const day = nextDay()
    const { id: intent } = await succeededIntent(api)
    const [charge] = await chargesOf(intent)
    if (charge === undefined) throw new Error('it has a charge')
    await omar.post(`/payment_intents/${intent}/refund`, { amount: '100', reason: 'A part is missing.' })
    await instruct(api)
    const refundOf = async () => (await omar.get(`/refunds?payment_intent=${intent}`)).body.data[0]
    const { reference } = await refundOf()
    await uploaded(
      api,
      omar,
      [line(charge.reference, charge.amount), line(reference, 100, { transaction: 'P2', kind: 'Cash in' })],
      day,
    )
    expect((await refundOf()).confirmed).not.toBeNull()
    await begin(omar, day)
    expect((await refundOf()).confirmed).toBeNull()
    const id = await uploaded(api, omar, [], dayOf(charge.settled_at))
    const { differences } = await shown(id, '?verdict=ours_only&limit=100')
    expect(differences.map(({ about }: { about: string }) => about)).toContain(charge.id)
  })
})

describe('a charge that a transaction of the rail has proven', () => {
  const proven = async (statement: string) => {
    const { id: intent } = await confirmedIntent(api, 'staysPending')
    const id = (await chargesOf(intent)).at(0)?.id ?? ''
    const form = { outcome: 'succeeded', reason: 'It is in the portal.', statement }
    expect(await approve(olga, await omar.post(`/charges/${id}/resolve`, form))).toMatchObject({
      status: 200,
    })
    await settle(api)
    const [charge] = await chargesOf(intent)
    if (charge === undefined) throw new Error('it has a charge')
    return charge
  }
  const differencesOf = async (id: string, ...charges: readonly Charge[]) =>
    (await shown(id, '?limit=100')).differences
      .filter(
        ({ about, line: n }: { about: string | null; line: number | null }) =>
          n !== null || charges.some((charge) => charge.id === about),
      )
      .map(({ about, verdict }: { about: string | null; verdict: string }) => [about, verdict])

  test.each([
    ['TX-1A', 'TX-1A'],
    ['4b1e8a52-7f5e-4a0e-9a52-3c1d2e4f5a6b', '4B1E8A52-7F5E-4A0E-9A52-3C1D2E4F5A6B'],
  ])('as %s agrees with the line of %s, which has no reference', async (given, transaction) => {
    const charge = await proven(given)
    const id = await uploaded(api, omar, [line('', charge.amount, { transaction })], dayOf(charge.settled_at))
    expect([(await shown(id)).matched, await differencesOf(id, charge)]).toEqual([1, []])
  })

  test('is missing if the line of the transaction names another charge', async () => {
    const [ruled, other] = [await proven('TX-2'), await proven('TX-3')]
    const day = dayOf(ruled.settled_at)
    const id = await uploaded(api, omar, [line(other.reference, other.amount, { transaction: 'TX-2' })], day)
    const found = async () => [(await shown(id)).matched, await differencesOf(id, ruled, other)]
    expect(await found()).toEqual([1, [[ruled.id, 'ours_only']]])
    for (const change of ['close', 'reopen']) {
      expect((await omar.post(`/statements/${id}/${change}`, { reason: 'A test.' })).status).toBe(200)
    }
    expect(await found()).toEqual([1, [[ruled.id, 'ours_only']]])
  })

  test('is missing if the rail has reported the transaction for another charge since', async () => {
    const ruled = await proven('TX-4')
    const [paid] = await chargesOf((await succeededIntent(api)).id)
    if (paid === undefined) throw new Error('it has a charge')
    await api.owner.transact((tx) =>
      tx
        .updateTable('charges')
        .set({ rail_txn_id: 'tx-4' })
        .where('reference', '=', paid.reference)
        .execute(),
    )
    const day = dayOf(ruled.settled_at)
    const id = await uploaded(api, omar, [line('', paid.amount, { transaction: 'TX-4' })], day)
    expect([(await shown(id)).matched, await differencesOf(id, ruled, paid)]).toEqual([
      1,
      [[ruled.id, 'ours_only']],
    ])
  })
})

describe('the end of an upload', () => {
  test('409: a file whose columns were never found', async () => {
    const id = await begin(omar)
    expect(await compare(omar, id, 0)).toBeRefusal('statement_unreadable')
  })

  test('409: a file of which some parts are missing is neither compared nor closed, and takes them afterwards', async () => {
    const id = await begin(omar)
    const take = (part: number, ...lines: string[]) =>
      sendLines(api, omar, `${id}/lines?part=${part}`, [...lines, ''].join('\n'))
    await take(0, heads, line('r1', 100))
    const refused = await compare(olga, id, 2)
    expect(refused).toBeRefusal('statement_incomplete')
    expect(refused.body.error.message).toBe(
      'The file has 2 parts, and 1 is there. Send the missing ones, or upload the file again.',
    )
    expect(await compare(omar, id, 0)).toBeRefusal('statement_incomplete')
    expect(await omar.post(`/statements/${id}/close`, { reason: 'x' })).toBeRefusal('statement_not_matched')
    expect(await shown(id)).toMatchObject({ status: 'reading', ours_only: 0 })
    expect((await take(1, line('r2', 100))).status).toBe(200)
    expect((await compare(omar, id, 2)).body.status).toBe('matched')
  })

  test('400: without the number of parts while the file is uploaded, which is ignored afterwards', async () => {
    const id = await begin(omar)
    await sendLines(api, omar, `${id}/lines?part=0`, heads)
    expect(await compare(omar, id)).toBeRefusal('invalid_request', 'parts')
    expect((await compare(omar, id, 1)).body.status).toBe('matched')
    for (const parts of [undefined, 7]) expect((await compare(omar, id, parts)).body.status).toBe('matched')
  })

  test('200: the end of the upload is in the audit log, once and with its author', async () => {
    const { body } = await omar.post('/statements', {
      rail: PUSH_RAIL,
      day: nextDay(),
      reason: 'A late file.',
    })
    await sendLines(api, omar, `${body.target}/lines?part=0`, `${heads}\n${line('r1', 100)}\n`)
    await Promise.all([compare(olga, body.target, 1), compare(olga, body.target, 1)])
    const { data } = (await vera.get(`/audit_entries?target=${body.target}`)).body
    expect(data).toHaveLength(2)
    expect(data[0]).toMatchObject({
      action: 'statement.create',
      actor: { subject: 'olga' },
      reason: 'A late file.',
      before: { status: 'reading' },
      after: { rail: PUSH_RAIL, status: 'matching', parts: 1, lines: 1, money_lines: 1 },
    })
    expect(data[1]).toMatchObject({ actor: { subject: 'omar' }, after: { status: 'reading' } })
  })
})

describe('dash.statements.close', () => {
  test('200: the day is closed by a person, with its counts in the audit log', async () => {
    const id = await uploaded(api, omar, [line('unknown', 700)])
    const { status, body } = await omar.post(`/statements/${id}/close`, { reason: 'The operator is asked.' })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { action: 'statement.close', target: id, after: { status: 'closed', theirs_only: 1 } },
    })
    expect(await shown(id)).toMatchObject({ status: 'closed', closed_by: { subject: 'omar' } })
    expect(await omar.post(`/statements/${id}/close`, { reason: 'Again.' })).toBeRefusal(
      'statement_not_matched',
    )
  })

  test('409: a later statement has changed its counts since the author looked', async () => {
    const { id: intent } = await succeededIntent(api)
    const [charge] = await chargesOf(intent)
    if (charge === undefined) throw new Error('it has a charge')
    const id = await uploaded(api, omar, [], dayOf(charge.settled_at))
    const seen = async () => {
      const { matched, ours_only, theirs_only, amount_differs, duplicate } = await shown(id)
      const counts = { matched, ours_only, theirs_only, amount_differs, duplicate }
      return Object.fromEntries(
        Object.entries(counts).map(([name, count]) => [`seen_${name}`, String(count)]),
      )
    }
    const before = await seen()
    await uploaded(api, omar, [line(charge.reference, charge.amount)], dayOf(charge.settled_at + 86_400))
    const close = (counts: Record<string, string>) =>
      omar.post(`/statements/${id}/close`, { ...counts, reason: 'All is explained.' })
    expect(await close(before)).toBeRefusal('statement_changed')
    expect((await shown(id)).status).toBe('matched')
    expect((await close(await seen())).status).toBe(200)
  })
})

describe('dash.statements.reopen', () => {
  test('200: a closed day is open again; 409 for an open one', async () => {
    const id = await comparedStatement(api)
    expect(await omar.post(`/statements/${id}/reopen`, { reason: 'x' })).toBeRefusal('statement_not_closed')
    await omar.post(`/statements/${id}/close`, { reason: 'Done.' })
    await omar.post(`/statements/${id}/reopen`, { reason: 'A newer file came.' })
    expect(await shown(id)).toMatchObject({ status: 'matched', closed_by: null, closed_at: null })
  })
})

describe('dash.statements.list', () => {
  test('200: newest first, of a rail, in pages', async () => {
    const [first, second] = [await comparedStatement(api), await comparedStatement(api)]
    const ids = async (query: string) =>
      (await vera.get(`/statements${query}`)).body.data.map(({ id }: { id: string }) => id)
    expect((await ids('')).slice(0, 2)).toEqual([second, first])
    expect(await ids('?limit=1')).toEqual([second])
    expect((await ids(`?starting_after=${second}`))[0]).toBe(first)
    expect(await ids('?rail=none')).toEqual([])
  })

  test('200: of a day', async () => {
    const day = nextDay()
    const id = await begin(omar, day)
    const ids = async (query: string) =>
      (await vera.get(`/statements${query}`)).body.data.map((one: { id: string }) => one.id)
    expect(await ids(`?rail=${PUSH_RAIL}&day=${day}`)).toEqual([id])
    expect(await ids(`?day=${nextDay()}`)).toEqual([])
    for (const faulty of ['2026-13-01', '2026-02-30', 'today']) {
      expect(await vera.get(`/statements?day=${faulty}`)).toBeRefusal('invalid_request', 'day')
    }
  })
})

describe('dash.statements.retrieve', () => {
  test('404: an unknown statement', async () => {
    expect(await vera.get(`/statements/st_${'0'.repeat(32)}`)).toBeRefusal('resource_missing')
  })
})
