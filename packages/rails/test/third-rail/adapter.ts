import { randomUUID } from 'node:crypto'
import type { ConfiguredRail } from '@merchant-payments/config'
import type { Clock, QueryOutcome, RailAdapter, RailCode, SubmitOutcome } from '@merchant-payments/core'
import { readAnswer } from '../../src/answer.ts'
import { evidenceOf, unanswered } from '../../src/evidence.ts'
import { openRailHttp } from '../../src/exchange.ts'
import type { voucherDesk } from './shape.ts'

type Shapes = { readonly voucher_desk: typeof voucherDesk }

/** The smallest possible rail: `POST /desks/{desk}/charges/{reference}` submits, and GET on the same URL queries. */
export function openVoucherDesk(rail: ConfiguredRail<Shapes, 'voucher_desk'>, clock: Clock): RailAdapter {
  const http = openRailHttp({ ...rail, clock })
  const path = (reference: string) => `/desks/${rail.desk}/charges/${reference}`
  const ask = async (method: 'GET' | 'POST', reference: string, body?: string) => {
    const signal = AbortSignal.timeout(rail.totalTimeoutMs)
    return readAnswer(
      await http.exchange({ method, path: path(reference), headers: {}, signal, ...(body && { body }) }),
    )
  }

  async function submit(reference: string, amountMinor: number): Promise<SubmitOutcome> {
    const startedMs = clock()
    const answer = await ask('POST', reference, JSON.stringify({ amount: amountMinor }))
    if (answer.kind === 'answer' && answer.status === 201) {
      return { kind: 'accepted', railToken: null, callbackSecret: null, redirectUrl: null }
    }
    const kind = answer.kind === 'fault' && !answer.sent ? 'not_sent' : 'unknown'
    return { kind, evidence: evidenceOf('submit', answer, clock() - startedMs) }
  }

  async function query(reference: string): Promise<QueryOutcome> {
    const startedMs = clock()
    const answer = await ask('GET', reference)
    const state = answer.kind === 'answer' && answer.status === 200 ? answer.body?.state : undefined
    if (state === 'waiting') return { kind: 'pending' }
    if (state === 'cashed') {
      return { kind: 'succeeded', railTxnId: reference, amountMinor: null, currency: null }
    }
    return unanswered('query', answer, clock() - startedMs)
  }

  return {
    code: rail.code as RailCode,
    displayName: rail.displayName,
    capabilities: {
      flow: 'push',
      settlementCurrency: rail.settlementCurrency,
      instrument: 'none',
      lostSubmitIsHarmless: false,
      queriedBy: 'reference',
      approvalWindowMs: 60_000,
      firstQueryAfterMs: rail.firstQueryAfterMs,
    },
    refunds: null,
    accountHolders: null,
    submitTimeoutMs: rail.totalTimeoutMs,
    callbacks: false,
    mintReference: () => randomUUID(),
    submitCharge: ({ reference, amountMinor }) => submit(reference, amountMinor),
    queryCharge: ({ reference }) => query(reference),
    parseCallbackQuery: () => null,
    parseCallbackBody: () => null,
    close: () => http.close(),
  }
}
