import { afterAll, describe, expect, test } from 'vitest'
import { addItem, draftInvoice, itemCall, readInvoice } from '../../bills.ts'
import { startTestApi } from '../../harness.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const create = (invoice: string, more?: string) => api.call(itemCall(invoice, more))

describe('200', () => {
  test('the body is the complete item, with the fields of its invoice [§2.6]', async () => {
    const invoice = await draftInvoice(api)
    const { customer } = invoice
    const answer = await create(
      invoice.id,
      `unit_amount=3500&quantity=2&customer=${customer}&currency=xaf&description=Rice&metadata[sku]=7&metadata[x]=`,
    )
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: {
        id: expect.stringMatching(/^ii_[0-9a-f]{32}$/),
        object: 'invoiceitem',
        invoice: invoice.id,
        customer,
        currency: 'XAF',
        amount: 7000,
        unit_amount: 3500,
        quantity: 2,
        description: 'Rice',
        metadata: { sku: '7' },
        created: expect.any(Number),
        livemode: false,
      },
    })
    expect(answer).toHaveRequestId()
    expect((await readInvoice(api, invoice.id)).body.lines.data).toEqual([answer.body])
  })

  test.each([
    ['an amount', 'amount=5000', { amount: 5000, unit_amount: 5000, quantity: 1 }],
    ['a credit', 'amount=-5000', { amount: -5000, unit_amount: -5000, quantity: 1 }],
    ['a unit amount alone', 'unit_amount=7', { amount: 7, unit_amount: 7, quantity: 1 }],
    ['a credit of several', 'unit_amount=-7&quantity=3', { amount: -21, unit_amount: -7, quantity: 3 }],
    ['the largest amount', 'amount=99999999', { amount: 99_999_999 }],
    ['the largest credit', 'amount=-99999999', { amount: -99_999_999 }],
    ['the largest product', 'unit_amount=99&quantity=999999', { amount: 98_999_901 }],
    ['an empty description', 'amount=1&description=', { description: null, metadata: {} }],
    [
      'decimals of the compatible API',
      'amount=1&unit_amount_decimal=1.5&quantity_decimal=2.5',
      { amount: 1, quantity: 1 },
    ],
  ])('%s', async (_, more, fields) => {
    const { id } = await draftInvoice(api)
    expect((await create(id, more)).body).toMatchObject(fields)
  })

  test('lines added concurrently are all counted', async () => {
    const { id } = await draftInvoice(api)
    const amounts = Array.from({ length: 50 }, (_, n) => (n % 3 === 0 ? -n - 1 : n + 1))
    await Promise.all(amounts.map((amount) => addItem(api, id, `amount=${amount}`)))
    const { body } = await readInvoice(api, id)
    expect(body.total).toBe(amounts.reduce((sum, amount) => sum + amount, 0))
    expect(body.lines.data).toHaveLength(50)
  })

  test('one key makes one line', async () => {
    const { id } = await draftInvoice(api)
    const call = itemCall(id, 'amount=5', { key: 'one-line' })
    const answers = await Promise.all([api.call(call), api.call(call), api.call(call)])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect((await readInvoice(api, id)).body).toMatchObject({ total: 5 })
  })

  test('250 lines of the largest amount have an integer total', async () => {
    const { id } = await draftInvoice(api)
    const calls = Array.from({ length: 260 }, () => itemCall(id, 'amount=99999999'))
    const answers = await Promise.all(calls.map((call) => api.call(call)))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused).toHaveLength(10)
    for (const answer of refused) expect(answer).toBeRefusal('invalid_request', 'invoice')
    const { body } = await readInvoice(api, id)
    expect(body).toMatchObject({ total: 250 * 99_999_999, amount_due: 250 * 99_999_999 })
    expect(body.lines.data).toHaveLength(250)
  })
})

describe('400', () => {
  const price = (spelled: string) => `amount=${spelled}`
  const spellings = [
    '',
    '0',
    '-0',
    '00',
    '+1',
    '%2B1',
    '1.0',
    '1.5',
    '1e3',
    '0x1',
    '-',
    '--1',
    '100000000',
    ' 1',
    '1 ',
    'NaN',
  ]
  const faults: readonly [string, string, string][] = [
    ...spellings.map((spelled): [string, string, string] => [`amount=${spelled}`, price(spelled), 'amount']),
    ['no price', 'description=x', 'amount'],
    ['a quantity alone', 'quantity=2', 'amount'],
    ['an amount and a unit amount', 'amount=1&unit_amount=1', 'unit_amount'],
    ['an amount and a quantity', 'amount=1&quantity=1', 'quantity'],
    ['a unit amount of nothing', 'unit_amount=0&quantity=2', 'unit_amount'],
    ['a unit amount with a point', 'unit_amount=1.5', 'unit_amount'],
    ['a quantity of zero', 'unit_amount=1&quantity=0', 'quantity'],
    ['a quantity below none', 'unit_amount=1&quantity=-1', 'quantity'],
    ['a quantity with a point', 'unit_amount=1&quantity=1.5', 'quantity'],
    ['a quantity beyond all', 'unit_amount=1&quantity=1000000', 'quantity'],
    ['a product beyond the largest amount', 'unit_amount=101&quantity=999999', 'quantity'],
    ['a product beyond the largest credit', 'unit_amount=-50000000&quantity=2', 'quantity'],
    ['another currency than the invoice’s', 'amount=1&currency=EUR', 'currency'],
    ['an unknown currency', 'amount=1&currency=USD', 'currency'],
    [
      'another customer than the invoice’s',
      'amount=1&customer=cus_0193f2d5e0a07c3e9b1a2b3c4d5e6f70',
      'customer',
    ],
    ['a long description', `amount=1&description=${'x'.repeat(1001)}`, 'description'],
    ['a metadata value that is a map', 'amount=1&metadata[a][b]=x', 'metadata[a]'],
  ]
  test.each(faults)('%s is refused by name', async (_, more, param) => {
    const { id } = await draftInvoice(api)
    expect(await create(id, more)).toBeRefusal('invalid_request', param)
  })

  test('no invoice, because a loose item could never be found', async () => {
    expect(await api.call({ path: '/v1/invoice_items', form: 'amount=1' })).toBeRefusal(
      'invalid_request',
      'invoice',
    )
    expect(await create('', 'amount=1')).toBeRefusal('invalid_request', 'invoice')
  })

  test('an unknown, a foreign and an ill-formed invoice have the same refusal', async () => {
    const { id: foreign } = await draftInvoice(api, '', { merchant: 'globex' })
    const answers = []
    for (const named of ['in_0193f2d5e0a07c3e9b1a2b3c4d5e6f70', foreign, 'in_x', 'x', `${foreign}0`]) {
      answers.push(await create(named))
    }
    for (const answer of answers) expect(answer).toBeRefusal('invalid_request', 'invoice')
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  })
})

describe('the collection', () => {
  test('has no GET: an invoice shows its lines [§4.2]', async () => {
    expect(await api.call({ path: '/v1/invoice_items' })).toBeBare(405)
    expect(await api.call({ path: '/v1/invoiceitems' })).toBeRefusal('unknown_route')
  })
})
