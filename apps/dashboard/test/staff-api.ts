import type { LookupResult, Totals } from '@merchant-payments/contract'
import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { type Answer, LOOKUP, type ReadName, reads } from '../src/wire/operations.ts'
import { memberOf } from './wire.ts'

interface Call {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Headers
  readonly form: Readonly<Record<string, string>>
  /** The body. */
  readonly text: string
}

type Reply<T> = T | Response | 'network_error'
type Answers = { [Name in ReadName]?: Reply<Answer<Name>> }

/** The staff's surface as a browser sees it. Lists that a test does not set are empty. */
export interface StaffApi {
  readonly server: ReturnType<typeof setupServer>
  readonly calls: Call[]
  answers: Answers
  lookup: LookupResult
  /** The answers to changes in turn. The last one repeats. */
  changes: Reply<object>[]
  /** How far its clock is ahead of the page's. */
  aheadMs: number
  reset(): void
}

export const envelope = (status: number, code: string, message: string, param?: string): Response =>
  HttpResponse.json(
    { error: { type: 'invalid_request_error', code, message, param } },
    { status, headers: { 'request-id': 'req_0001' } },
  )

const nothing: LookupResult = { object: 'lookup_result', matches: [], payer: null, amount: null }

const noTotals: Totals = { object: 'totals', count: 0, is_more: false, sums: [] }
/** Reads of one object that nearly every list makes. */
const usual = () => ({
  me: memberOf('operator'),
  paymentTotals: noTotals,
  chargeTotals: noTotals,
  refundTotals: noTotals,
})

export function createStaffApi(): StaffApi {
  const calls: Call[] = []
  const note = async (request: Request) => {
    const { pathname, searchParams } = new URL(request.url)
    const text = await request.clone().text()
    calls.push({
      text,
      method: request.method,
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: request.headers,
      form: Object.fromEntries(new URLSearchParams(text)),
    })
  }
  const reply = (answer: Reply<object> | undefined): Response => {
    if (answer === 'network_error') return HttpResponse.error()
    const response =
      answer instanceof Response
        ? answer.clone()
        : HttpResponse.json(answer ?? { object: 'list', url: '/', has_more: false, data: [] })
    response.headers.set('date', new Date(Date.now() + api.aheadMs).toUTCString())
    return response
  }
  const server = setupServer(
    ...Object.entries(reads).map(([name, path]) =>
      http.get(`*/dash/v1${path.replace('{id}', ':id')}`, async ({ request }) => {
        await note(request)
        return reply(api.answers[name as ReadName])
      }),
    ),
    http.post(`*/dash/v1${LOOKUP}`, async ({ request }) => {
      await note(request)
      return reply(api.lookup)
    }),
    http.post('*/dash/v1/*', async ({ request }) => {
      await note(request)
      return reply(api.changes.length > 1 ? api.changes.shift() : api.changes[0])
    }),
  )
  const api: StaffApi = {
    server,
    calls,
    answers: usual(),
    lookup: nothing,
    changes: [],
    aheadMs: 0,
    reset: () => {
      calls.length = 0
      server.resetHandlers()
      api.answers = usual()
      api.lookup = nothing
      api.changes = []
      api.aheadMs = 0
    },
  }
  return api
}
