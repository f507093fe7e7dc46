import { connect as connectTo } from '@merchant-payments/testing/client'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  act,
  actionCall,
  addItem,
  draftInvoice,
  itemCall,
  openInvoice,
  readInvoice,
  withoutLines,
} from '../../bills.ts'
import { startTestApi } from '../../harness.ts'
import { eraseCustomer, lastUseOf, uuidOf } from '../../rows.ts'
import { eventsOf, eventTypesOf } from '../../steps.ts'
import { answerToStrangers } from '../same-refusal.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const finalize = (id: string, key?: string) =>
  api.call(actionCall(id, 'finalize', key === undefined ? {} : { key }))

const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)

describe('200', () => {
  test('the draft becomes open, and its number, total and lines are fixed', async () => {
    const draft = await draftInvoice(api, '&description=May')
    const items = [await addItem(api, draft.id), await addItem(api, draft.id, 'amount=-1000')]
    const answer = await finalize(draft.id)
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: {
        ...draft,
        status: 'open',
        number: expect.stringMatching(/^[1-9]\d*$/),
        subtotal: 4000,
        total: 4000,
        amount_due: 4000,
        amount_remaining: 4000,
        lines: { ...draft.lines, data: items },
        status_transitions: { ...draft.status_transitions, finalized_at: expect.any(Number) },
      },
    })
    expect(answer).toHaveRequestId()
    expect((await readInvoice(api, draft.id)).body).toEqual(answer.body)
  })

  test('one event, whose snapshot is the open invoice without its lines [§2.6, §6.1, §6.2]', async () => {
    const open = await openInvoice(api)
    expect((await eventsOf(api, open.id)).slice(1)).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
        object: 'event',
        type: 'invoice.finalized',
        created: open.status_transitions.finalized_at,
        livemode: false,
        data: { object: withoutLines(open) },
      },
    ])
  })

  test('text that looks like the place of the number is not changed', async () => {
    const tricky = encodeURIComponent(String.raw`"number":null \"number\":null "\u0000" \u0000 \"\u0000\"`)
    const draft = await draftInvoice(
      api,
      `&description=${tricky}&metadata[number]=null&metadata[a]=${tricky}`,
    )
    await addItem(api, draft.id, `amount=5&description=${tricky}`)
    const open = await act(api, draft.id, 'finalize')
    const { description, metadata } = draft
    expect({ description: open.description, metadata: open.metadata }).toEqual({ description, metadata })
    expect(open.lines.data[0]?.description).toBe(draft.description)
    expect((await readInvoice(api, draft.id)).body).toEqual(open)
  })

  test('the customer counts as used, so that it outlives the days until the invoice is due [§4.3.6]', async () => {
    const { id, customer } = await draftInvoice(api, '&days_until_due=365')
    await addItem(api, id)
    api.advance(120_000)
    await act(api, id, 'finalize')
    expect(api.clock() - (await lastUseOf(api, customer))).toBeLessThan(60_000)
  })

  test.each([
    ['of 1', 'amount=1', 1],
    ['of the largest amount', 'amount=99999999', 99_999_999],
  ])('a total %s', async (_, item, total) => {
    const { id } = await draftInvoice(api)
    await addItem(api, id, item)
    expect(await act(api, id, 'finalize')).toMatchObject({ status: 'open', total })
  })

  test('while lines are added, changed and deleted, the total is that of the shown lines', async () => {
    for (let n = 0; n < 5; n += 1) {
      const { id } = await draftInvoice(api)
      const [changed, gone] = [await addItem(api, id), await addItem(api, id)]
      const [answer, ...others] = await Promise.all([
        finalize(id),
        ...Array.from({ length: 10 }, () => api.call(itemCall(id, 'amount=7'))),
        api.call({ path: `/v1/invoice_items/${changed.id}`, form: 'amount=11' }),
        api.call({ method: 'DELETE', path: `/v1/invoice_items/${gone.id}` }),
      ])
      expect(answer.status).toBe(200)
      for (const { status } of others) expect([200, 409]).toContain(status)
      const { body } = await readInvoice(api, id)
      expect(body).toEqual(answer.body)
      const amounts: number[] = body.lines.data.map(({ amount }: { amount: number }) => amount)
      expect(body.total).toBe(amounts.reduce((sum, amount) => sum + amount, 0))
    }
  })

  test('the same key has the same answer, and draws one number', async () => {
    const { id } = await draftInvoice(api)
    await addItem(api, id)
    const answers = await Promise.all([finalize(id, 'same'), finalize(id, 'same'), finalize(id, 'same')])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await finalize(id, 'same')).toMatchObject({ status: 200, text: answers[0].text })
    expect(await eventTypesOf(api, id)).toEqual(['invoice.created', 'invoice.finalized'])
  })
})

describe('numbers', () => {
  const finalizable = async (merchant: string) => {
    const { id } = await draftInvoice(api, '', { merchant })
    await addItem(api, id, 'amount=5', { merchant })
    return id
  }
  const numbersOf = async (merchant: string): Promise<number[]> => {
    const { body } = await api.call({ path: '/v1/invoices?limit=100', merchant })
    const numbers: (string | null)[] = body.data.map(({ number }: { number: string | null }) => number)
    return sorted(numbers.flatMap((number) => (number === null ? [] : [Number(number)])))
  }
  const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1)

  test('a finalize that waits for its customer delays no other', async () => {
    const { id, customer } = await draftInvoice(api)
    await addItem(api, id)
    const { id: otherId } = await draftInvoice(api)
    await addItem(api, otherId)
    const holder = await connectTo(api.databaseUrl)
    onTestFinished(() => holder.end())
    await holder.query('begin')
    await holder.query('select from customers where id = $1 for update', [uuidOf(customer)])
    const waiting = finalize(id)
    const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await holder.query(waits)).rowCount, { timeout: 10_000 }).toBe(1)
    expect((await finalize(otherId)).status).toBe(200)
    await holder.query('commit')
    const [first, second] = [await readInvoice(api, otherId), await waiting]
    expect(Number(second.body.number)).toBe(Number(first.body.number) + 1)
  })

  test('fifty concurrent finalizes, mixed with as many that fail, leave neither gaps nor duplicates', async () => {
    const merchant = 'crowd'
    const [ids, doubled] = [[], []] as [string[], string[]]
    for (let n = 0; n < 50; n += 1) ids.push(await finalizable(merchant))
    for (let n = 0; n < 10; n += 1) doubled.push(await finalizable(merchant))
    const empty = await draftInvoice(api, '', { merchant })
    const calls = [
      ...ids.flatMap((id) => [actionCall(id, 'finalize'), actionCall(empty.id, 'finalize')]),
      ...doubled.flatMap((id) => [actionCall(id, 'finalize'), actionCall(id, 'finalize')]),
      ...ids.slice(0, 20).map((id) => ({ method: 'DELETE', path: `/v1/invoices/${id}` }) as const),
      // One key for several invoices: one of them gets it, and the others fail late.
      ...(await Promise.all(upTo(5).map(() => finalizable(merchant)))).map((id) =>
        actionCall(id, 'finalize', { key: 'contended' }),
      ),
    ]
    const answers = await Promise.all(calls.map((call) => api.call({ ...call, merchant })))
    const deleted = answers.slice(-25, -5).filter(({ status }) => status === 200).length
    const numbers = await numbersOf(merchant)
    expect(numbers).toEqual(upTo(50 - deleted + 10 + 1))
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
  })

  test('each merchant has its own sequence', async () => {
    for (const merchant of ['first', 'second']) {
      for (let n = 0; n < 3; n += 1) {
        await api.call(actionCall(await finalizable(merchant), 'finalize', { merchant }))
      }
      expect(await numbersOf(merchant)).toEqual([1, 2, 3])
    }
  })
})

describe('400', () => {
  test.each([
    ['no line', []],
    ['a total of nothing', ['amount=5', 'amount=-5']],
    ['a total below nothing', ['amount=-5']],
    ['a total beyond the largest amount', ['amount=99999999', 'amount=1']],
  ])('%s is refused by naming the lines, and stays a draft', async (_, items) => {
    const { id } = await draftInvoice(api)
    for (const item of items) await addItem(api, id, item)
    expect(await finalize(id)).toBeRefusal('invalid_request', 'lines')
    expect((await readInvoice(api, id)).body).toMatchObject({ status: 'draft', number: null })
    expect(await eventTypesOf(api, id)).toEqual(['invoice.created'])
  })
})

describe('404', () => {
  test('a foreign, an unknown and an ill-formed id have the same answer', async () => {
    const { id } = await draftInvoice(api)
    expect(await answerToStrangers(api, id, (strange) => actionCall(strange, 'finalize'))).toBeRefusal(
      'resource_missing',
    )
  })
})

describe('409', () => {
  test('an invoice of an erased customer stays a draft, because it could never be paid', async () => {
    const { id, customer } = await draftInvoice(api)
    await addItem(api, id)
    await eraseCustomer(api, customer)
    expect(await finalize(id)).toBeRefusal('customer_erased')
    expect((await readInvoice(api, id)).body).toMatchObject({ status: 'draft', number: null })
  })

  test('of two finalizes with different keys, one succeeds', async () => {
    const { id } = await draftInvoice(api)
    await addItem(api, id)
    const answers = await Promise.all([finalize(id), finalize(id)])
    const refused = answers.find(({ status }) => status !== 200)
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    expect(refused).toBeRefusal('invoice_not_draft')
    expect(await eventTypesOf(api, id)).toEqual(['invoice.created', 'invoice.finalized'])
  })
})
