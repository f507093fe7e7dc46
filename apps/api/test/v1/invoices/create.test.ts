import { afterAll, describe, expect, test } from 'vitest'
import { draftInvoice, readInvoice } from '../../bills.ts'
import { EURO_RAIL, PUSH_RAIL, startTestApi } from '../../harness.ts'
import { insertCustomer, lastUseOf } from '../../rows.ts'
import { eventsOf } from '../../steps.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const customer = await insertCustomer(api)
const create = (form: string) => api.call({ path: '/v1/invoices', form })
const required = `customer=${customer}&currency=XAF`
const DAY_SEC = 24 * 60 * 60

describe('200', () => {
  test('the body is the complete draft, as a read shows it [§3.5]', async () => {
    const nowSec = Math.floor(api.clock() / 1000)
    const answer = await create(
      `customer=${customer}&currency=eur&description=May&due_date=1900000000&metadata[po]=7&metadata[x]=` +
        `&payment_method_types[]=${PUSH_RAIL}&payment_method_types[]=${EURO_RAIL}&payment_method_types[]=${PUSH_RAIL}`,
    )
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: {
        id: expect.stringMatching(/^in_[0-9a-f]{32}$/),
        object: 'invoice',
        status: 'draft',
        number: null,
        customer,
        currency: 'EUR',
        subtotal: 0,
        total: 0,
        amount_due: 0,
        amount_paid: 0,
        amount_remaining: 0,
        description: 'May',
        due_date: 1_900_000_000,
        payment_intent: null,
        payment_method_types: [PUSH_RAIL, EURO_RAIL],
        metadata: { po: '7' },
        lines: { object: 'list', url: `/v1/invoices/${answer.body.id}/lines`, has_more: false, data: [] },
        status_transitions: {
          finalized_at: null,
          paid_at: null,
          voided_at: null,
          marked_uncollectible_at: null,
        },
        created: expect.toSatisfy((value) => Number.isInteger(value) && value >= nowSec - 60),
        livemode: false,
      },
    })
    expect(answer).toHaveRequestId()
    expect((await readInvoice(api, answer.body.id)).body).toEqual(answer.body)
  })

  test('one event, whose snapshot is the draft [§6.1, §6.2]', async () => {
    const draft = await draftInvoice(api)
    expect(await eventsOf(api, draft.id)).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
        object: 'event',
        type: 'invoice.created',
        created: draft.created,
        livemode: false,
        data: { object: draft },
      },
    ])
  })

  test('fields that are not sent are null or empty', async () => {
    expect((await create(required)).body).toMatchObject({
      description: null,
      due_date: null,
      payment_method_types: [],
      metadata: {},
    })
  })

  test.each([0, 30, 365])('days_until_due=%i counts from the request', async (days) => {
    const { created, due_date: due } = (await create(`${required}&days_until_due=${days}`)).body
    expect(due).toBe(created + days * DAY_SEC)
  })

  test('parameters that only the compatible API has are ignored', async () => {
    const plain = (await create(required)).body
    const sent =
      'auto_advance=false&collection_method=send_invoice&status=paid&number=9&total=5&expand[]=lines'
    const { id, lines, created, ...rest } = (await create(`${required}&${sent}`)).body
    expect({ ...rest, id, lines, created }).toEqual({ ...plain, id, lines, created })
  })

  test('the customer counts as used [§4.3.6]', async () => {
    const idle = await insertCustomer(api)
    await create(`customer=${idle}&currency=XAF`)
    expect(api.clock() - (await lastUseOf(api, idle))).toBeLessThan(60_000)
  })

  test('the same key makes one invoice, one event and one answer', async () => {
    const call = { path: '/v1/invoices', form: required, key: 'once' }
    const answers = await Promise.all([api.call(call), api.call(call), api.call(call)])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await eventsOf(api, answers[0].body.id)).toHaveLength(1)
  })
})

describe('400', () => {
  test.each([
    ['no customer', 'currency=XAF', 'customer'],
    ['an empty customer', 'customer=&currency=XAF', 'customer'],
    ['a customer that is a list', 'customer[]=x&currency=XAF', 'customer'],
    ['no currency', `customer=${customer}`, 'currency'],
    ['another currency', `customer=${customer}&currency=USD`, 'currency'],
    ['a long description', `${required}&description=${'x'.repeat(1001)}`, 'description'],
    ['a due date with a point', `${required}&due_date=1.5`, 'due_date'],
    ['a due date that is a day', `${required}&due_date=2026-12-24`, 'due_date'],
    ['a due date before the epoch', `${required}&due_date=-1`, 'due_date'],
    ['a due date of milliseconds', `${required}&due_date=1900000000000`, 'due_date'],
    ['days of less than nothing', `${required}&days_until_due=-1`, 'days_until_due'],
    ['more days than a year', `${required}&days_until_due=366`, 'days_until_due'],
    ['both', `${required}&due_date=1900000000&days_until_due=1`, 'days_until_due'],
    ['no rail in the list', `${required}&payment_method_types=`, 'payment_method_types'],
    ['an unknown rail', `${required}&payment_method_types[]=card`, 'payment_method_types[0]'],
    ['metadata that is a value', `${required}&metadata=x`, 'metadata'],
  ])('%s is refused by name', async (_, form, param) => {
    expect(await create(form)).toBeRefusal('invalid_request', param)
  })

  test('an unknown, a foreign and an ill-formed customer have the same refusal', async () => {
    const foreign = await insertCustomer(api, 'globex')
    const answers = []
    for (const named of ['cus_0193f2d5e0a07c3e9b1a2b3c4d5e6f70', foreign, 'cus_x', 'x', `${foreign}0`]) {
      answers.push(await create(`customer=${named}&currency=XAF`))
    }
    for (const answer of answers) expect(answer).toBeRefusal('invalid_request', 'customer')
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  })

  test.each(['cus_0193f2d5e0a07c3e9b1a2b3c4d5e6f70', 'nobody'])(
    'an unknown rail is named before the customer %s',
    async (customer) => {
      const form = `customer=${customer}&currency=XAF&payment_method_types[]=card`
      expect(await create(form)).toBeRefusal('invalid_request', 'payment_method_types[0]')
    },
  )
})

describe('409', () => {
  test('an erased customer is refused [§3.2]', async () => {
    const erased = await insertCustomer(api, 'acme', { erased: true })
    expect(await create(`customer=${erased}&currency=XAF`)).toBeRefusal('customer_erased', 'customer')
  })
})
