import type { Decline, QueryOutcome, RefundOutcome } from '@merchant-payments/core'
import { evidenceOf, isHeldBack, unanswered } from '../evidence.ts'
import type { ExchangeFailure } from '../exchange.ts'
import { withTimeLimit } from '../time-limit.ts'
import type { Reply } from '../tokens.ts'
import type { Product } from './client.ts'
import { isOfAnother, type Money } from './codec.ts'
import { type AskRail, judgeQuery, judgeSubmit, type Purpose, type SubmitVerdict } from './errors.ts'

const FOLLOW_UP_TIMEOUT_MS = 5_000

const routes = {
  charge: { path: '/requesttopay', submitting: 'submit', querying: 'query' },
  refund: { path: '/transfer', submitting: 'refund', querying: 'query_refund' },
} as const satisfies Record<Purpose, Record<string, string>>

const pastDeadline: ExchangeFailure = { kind: 'fault', sent: false, errno: 'PAST_DEADLINE' }

interface Submission {
  readonly reference: string
  readonly merchantId: string
  readonly deadlineMs: number
}

export interface Transactions {
  /**
   * Time in ms for a submit: one signal covers tokens, both attempts and the wait for a connection; another
   * covers the follow-up.
   */
  readonly submitTimeoutMs: number
  submit(sent: Submission, body: string, callbackUrl: string | null): Promise<RefundOutcome>
  query(reference: string): Promise<QueryOutcome>
}

interface TransactionsOptions {
  /** The product over connections for submits, and over others for queries. */
  readonly submits: Product
  readonly queries: Product
  readonly purpose: Purpose
  readonly money: Money
  readonly totalTimeoutMs: number
  readonly clock: () => number
}

/** Charges are requests to pay, refunds are transfers: two paths with one protocol. */
export function openTransactions(options: TransactionsOptions): Transactions {
  const { submits, queries, purpose, money, totalTimeoutMs, clock } = options
  const { path, submitting, querying } = routes[purpose]
  const followUpTimeoutMs = Math.min(FOLLOW_UP_TIMEOUT_MS, totalTimeoutMs)

  async function submit(sent: Submission, body: string, callbackUrl: string | null): Promise<RefundOutcome> {
    const { reference, merchantId, deadlineMs } = sent
    const startedMs = clock()
    if (startedMs > deadlineMs) return { kind: 'not_sent', evidence: evidenceOf(submitting, pastDeadline, 0) }
    const headers = {
      'X-Reference-Id': reference,
      'Content-Type': 'application/json',
      ...(callbackUrl !== null && { 'X-Callback-Url': callbackUrl }),
    }
    // The deadline bounds only the sending. A late answer is awaited, because querying it later costs more.
    const reply = await withTimeLimit(totalTimeoutMs, (signal) =>
      submits.call({
        method: 'POST',
        path,
        headers,
        body,
        owner: merchantId,
        notAfterMs: deadlineMs,
        signal,
      }),
    )
    if (isHeldBack(reply))
      return { kind: 'held_back', evidence: evidenceOf(submitting, reply, clock() - startedMs) }
    const verdict = verdictOf(reply, purpose)
    const settled = verdict.kind === 'ask' ? await followUp(reference, verdict.decline) : verdict
    if (settled.kind === 'accepted') return { kind: 'accepted' }
    if (settled.kind === 'declined' || settled.kind === 'refusal_unconfirmed') return settled
    return { kind: settled.kind, evidence: evidenceOf(submitting, reply, clock() - startedMs) }
  }

  /**
   * A 5xx does not prove that nothing was charged. The rail is queried once, and only its wallet can confirm
   * a refusal.
   */
  async function followUp(reference: string, decline: Decline | null): Promise<SubmitVerdict> {
    const found = await queryWithin(reference, followUpTimeoutMs)
    if (found.kind === 'pending' || found.kind === 'succeeded') return { kind: 'accepted' }
    // A payout that the rail has had can still be paid late. Its queries report the failure, and go on after it.
    if (found.kind === 'failed' && purpose === 'refund') return { kind: 'accepted' }
    if (found.kind === 'failed') return { kind: 'declined', decline: found.decline }
    if (found.kind === 'not_found' && decline !== null) return { kind: 'refusal_unconfirmed', decline }
    return { kind: 'unknown' }
  }

  async function queryWithin(reference: string, timeoutMs: number): Promise<QueryOutcome> {
    const startedMs = clock()
    const reply = await withTimeLimit(timeoutMs, (signal) =>
      queries.call({ method: 'GET', path: `${path}/${reference}`, headers: {}, signal }),
    )
    const known =
      reply.kind === 'answer' && !isOfAnother(reply.body, reference)
        ? judgeQuery(reply.status, reply.body, money, purpose)
        : null
    return known ?? unanswered(querying, reply, clock() - startedMs)
  }

  return {
    submitTimeoutMs: totalTimeoutMs + followUpTimeoutMs,
    submit,
    query: (reference) => queryWithin(reference, totalTimeoutMs),
  }
}

function verdictOf(reply: Reply, purpose: Purpose): SubmitVerdict | AskRail {
  // Without a token, the request was never sent.
  if (reply.kind === 'no_token') return { kind: 'not_sent' }
  if (reply.kind === 'fault') return { kind: reply.sent ? 'unknown' : 'not_sent' }
  return judgeSubmit(reply.status, reply.body, purpose)
}
