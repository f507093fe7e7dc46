import type { Event, PaymentIntent } from '@merchant-payments/contract'
import { expect } from 'vitest'
import {
  type Extra,
  PUSH_RAIL,
  type Replica,
  settle,
  type TestAnswer,
  type TestApi,
  type TestCall,
} from './harness.ts'

export const intentForm = `amount=5000&currency=XAF&payment_method_types[0]=${PUSH_RAIL}`

/** The numbers of the mock rail whose endings these tests use (tools/mock-rails/README.md). */
export const endings = {
  approves: '001',
  waitsForThePayer: '000',
  declines: '470',
  staysPending: '454',
  failsThenSucceeds: '480',
  paysAnotherAmount: '481',
  acceptedThenReset: '482',
  resetUnaccepted: '484',
} as const

export type Ending = keyof typeof endings

export const numberOf = (ending: Ending) => `237670000${endings[ending]}`

export const confirmForm = (ending: Ending = 'approves') =>
  `payment_method_data[${PUSH_RAIL}][msisdn]=${numberOf(ending)}`

export const createCall = (form = intentForm, extra: Extra = {}): TestCall => ({
  path: '/v1/payment_intents',
  form,
  ...extra,
})

export const confirmCall = (id: string, ending?: Ending, extra: Extra = {}): TestCall => ({
  path: `/v1/payment_intents/${id}/confirm`,
  form: confirmForm(ending),
  ...extra,
})

export const cancelCall = (id: string, extra: Omit<TestCall, 'path'> = {}): TestCall => ({
  method: 'POST',
  path: `/v1/payment_intents/${id}/cancel`,
  ...extra,
})

export async function createIntent(api: Replica, more = '', extra: Extra = {}): Promise<PaymentIntent> {
  const answer = await api.call(createCall(`${intentForm}${more}`, extra))
  expect(answer).toMatchObject({ status: 201 })
  return answer.body
}

export async function confirmedIntent(api: Replica, ending: Ending = 'approves'): Promise<PaymentIntent> {
  const intent = await createIntent(api)
  const answer = await api.call(confirmCall(intent.id, ending))
  expect(answer).toMatchObject({ status: 200 })
  return answer.body
}

export async function succeededIntent(api: TestApi): Promise<PaymentIntent> {
  const { id } = await confirmedIntent(api)
  await settle(api)
  const { body } = await readIntent(api, id)
  expect(body.status).toBe('succeeded')
  return body
}

export async function canceledIntent(api: Replica): Promise<PaymentIntent> {
  const { id } = await createIntent(api)
  const answer = await api.call(cancelCall(id))
  expect(answer).toMatchObject({ status: 200 })
  return answer.body
}

export const readIntent = (api: Replica, id: string): Promise<TestAnswer> =>
  api.call({ path: `/v1/payment_intents/${id}` })

/** The intent in all bodies except those of create and retrieve (spec 2.4). */
export function withoutSecret(intent: PaymentIntent): PaymentIntent {
  const { client_secret: _, ...rest } = intent
  return rest
}

/** Pages of a hundred events. No test file makes more. */
const EVENT_PAGES_MAX = 5

/** The events of one object, oldest first. */
export async function eventsOf(api: Replica, objectId: string, merchant = 'acme'): Promise<Event[]> {
  const events: Event[] = []
  for (let hasMore = true, pages = 0; hasMore; pages += 1) {
    expect(pages).toBeLessThan(EVENT_PAGES_MAX)
    const last = events.at(-1)
    const after = last === undefined ? '' : `&starting_after=${last.id}`
    const { body } = await api.call({ path: `/v1/events?limit=100${after}`, merchant })
    events.push(...body.data)
    hasMore = body.has_more
  }
  return events.filter(({ data }) => data.object['id'] === objectId).reverse()
}

export const eventTypesOf = async (api: Replica, objectId: string): Promise<string[]> =>
  (await eventsOf(api, objectId)).map(({ type }) => type)

/** Moves the rail's clock to its late successes. */
export async function rescue({ mock }: TestApi): Promise<void> {
  const { mtn } = await mock.control.getSettings()
  await mock.control.advanceClock(mtn.lateSuccessAfterMs)
}

/** Expects a timestamp of the last minute. */
export function aboutNow(api: TestApi) {
  const nowSec = Math.floor(api.clock() / 1000)
  return expect.toSatisfy((value) => Number.isInteger(value) && value >= nowSec - 60 && value <= nowSec)
}
