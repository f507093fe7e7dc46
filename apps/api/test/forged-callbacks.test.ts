import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ORANGE_RAIL, PUSH_RAIL, settle, startTestApi, type TestApi, type TestCall } from './harness.ts'
import { confirmAtOrange, createAtOrange, withMockOrange } from './mock-orange.ts'
import { confirmedIntent } from './steps.ts'

const FORGERIES = 10_000
const AT_ONCE = 50
/** Advance of the service's clock while fifty callbacks arrive: four minutes in total. */
const STEP_MS = 1_200
/** A charge's rail is asked no more often than this, however many callbacks arrive. */
const INTERVAL_MS = 2_000

let api: TestApi
/** Charges of which a stranger knows everything that was ever sent anywhere. */
let atMtn: { reference: string; callbackUrl: URL }
let atOrange: { reference: string; callbackUrl: URL; notifToken: string }

beforeAll(async () => {
  api = await withMockOrange(await startTestApi())
  const { control } = api.mock
  await confirmedIntent(api, 'waitsForThePayer')
  await confirmAtOrange(api, await createAtOrange(api))
  const [mtn, orange] = await control.listCharges()
  if (mtn?.rail !== 'mtn' || orange?.rail !== 'orange') throw new Error('a charge is missing')
  atMtn = { reference: mtn.reference, callbackUrl: new URL(mtn.callbackUrl ?? '') }
  const { reference, callbackUrl, notifToken } = orange
  atOrange = { reference, callbackUrl: new URL(callbackUrl), notifToken }
})
afterAll(() => api.stop())

type Forgery = (nth: number) => TestCall

const mtnSuccess = (externalId: string) =>
  JSON.stringify({
    financialTransactionId: '1',
    externalId,
    amount: '5000',
    currency: 'XAF',
    payer: { partyIdType: 'MSISDN', partyId: '237670000000' },
    status: 'SUCCESSFUL',
  })
const orangeSuccess = (notifToken: string) =>
  JSON.stringify({ status: 'SUCCESS', notif_token: notifToken, txnid: 'MP261121.1200.A00001' })

const pathOf = ({ pathname, search }: URL) => pathname + search
const post = (path: string, form: string | Uint8Array, type = 'application/json'): TestCall => ({
  method: 'POST',
  path,
  form,
  headers: { 'content-type': type },
})

const forgeries: Record<string, Forgery> = {
  'a success at the true address': () => post(pathOf(atMtn.callbackUrl), mtnSuccess(atMtn.reference)),
  'a success of the true reference': () =>
    post(`/provider/${PUSH_RAIL}/callback`, mtnSuccess(atMtn.reference.toUpperCase())),
  'a success with the true token': () =>
    post(pathOf(atOrange.callbackUrl), orangeSuccess(atOrange.notifToken)),
  'a failure at the true address': () =>
    post(pathOf(atOrange.callbackUrl), '{"status":"FAILED","notif_token":7}'),
  'an unknown reference': () => post(`/provider/${PUSH_RAIL}/callback?ref=${randomUUID()}`, ''),
  'an unknown order': () =>
    post(`/provider/${ORANGE_RAIL}/callback?ref=${randomBytes(15).toString('hex')}`, ''),
  'an unknown token': () =>
    post(`/provider/${ORANGE_RAIL}/callback`, orangeSuccess(randomBytes(16).toString('hex'))),
  'a reference of the other rail': () =>
    post(`/provider/${ORANGE_RAIL}/callback?ref=${atMtn.reference}`, mtnSuccess(atMtn.reference)),
  'an unknown rail': (nth) => post(`/provider/rail_${nth}/callback`, mtnSuccess(atMtn.reference)),
  'cut JSON': () => post(pathOf(atMtn.callbackUrl), mtnSuccess(atMtn.reference).slice(0, 40)),
  'a form': () => post(`/provider/${PUSH_RAIL}/callback`, `externalId=${atMtn.reference}`, 'text/plain'),
  bytes: () => post(`/provider/${ORANGE_RAIL}/callback`, randomBytes(200), 'application/octet-stream'),
}
const names = Object.keys(forgeries)

const callBack = (nth: number) => {
  const forge = forgeries[names[nth % names.length] ?? '']
  const call = forge?.(nth) ?? post('/', '')
  return api.call({ ...call, method: nth % 2 === 0 ? 'PUT' : 'POST', token: null, key: null })
}

/** All stored data of payments, without the times and counts of queries. */
async function holdings() {
  const read = (table: 'payment_intents' | 'charges' | 'events' | 'idempotency_keys') =>
    api.db.reader.selectFrom(table).selectAll().execute()
  const rows = [
    await read('charges'),
    await read('payment_intents'),
    await read('events'),
    await read('idempotency_keys'),
  ]
  // Rows have no order of their own.
  return rows.map((table) => table.map((row) => JSON.stringify(row)).toSorted())
}

const queriesOf = async (operation: 'status' | 'orange_status', reference: string) => {
  const calls = await api.mock.control.listCalls({ operation, limit: 2_000 })
  return calls.filter((call) => operation === 'orange_status' || call.reference === reference).length
}

describe(`${FORGERIES} forged callbacks, by both methods,`, () => {
  let answers: Set<string>
  let before: unknown
  let elapsedMs: number

  beforeAll(async () => {
    answers = new Set()
    before = await holdings()
    const startedMs = api.clock()
    for (let nth = 0; nth < FORGERIES; nth += AT_ONCE) {
      const some = Array.from({ length: AT_ONCE }, (_, n) => callBack(nth + n))
      for (const { status, text, headers } of await Promise.all(some)) {
        const { date, 'request-id': id, 'x-request-id': sameId, ...rest } = headers
        answers.add(
          JSON.stringify({ status, text, headers: rest, dated: date !== undefined, oneId: id === sameId }),
        )
      }
      await settle(api, STEP_MS)
    }
    elapsedMs = api.clock() - startedMs
  }, 120_000)

  test('change nothing [§1.6]', async () => {
    expect(await holdings()).toEqual(before)
  })

  test('all have the same answer', () => {
    expect([...answers].map((answer) => JSON.parse(answer) as unknown)).toEqual([
      {
        status: 200,
        text: '',
        headers: expect.objectContaining({ 'content-length': '0' }),
        dated: true,
        oneId: true,
      },
    ])
  })

  test('cause at most one query per charge and interval at each rail', async () => {
    const most = Math.ceil(elapsedMs / INTERVAL_MS) + 1
    const [mtn, orange] = [
      await queriesOf('status', atMtn.reference),
      await queriesOf('orange_status', atOrange.reference),
    ]
    // More queries than the ladder's own: the callbacks pulled these forward.
    expect([mtn, orange].every((queries) => queries > 50 && queries <= most)).toBe(true)
  })
})
