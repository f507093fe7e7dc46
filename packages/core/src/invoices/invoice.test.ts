import { invoiceStatuses } from '@merchant-payments/contract'
import { describe, expect, test } from 'vitest'
import { makeInvoice, T0 } from '../../test/make.ts'
import { mintId } from '../base/ids.ts'
import { type Invoice, moveInvoice } from './invoice.ts'
import { invoiceLifecycle, type InvoiceMove } from './lifecycle.ts'
import { renderInvoice } from './render.ts'

const nowMs = T0 + 90_500
const intentId = mintId('pi', T0)

const facts = { finalize: {}, settle: { intentId }, void: {}, mark_uncollectible: {} } as const
const moves = Object.keys(facts) as InvoiceMove[]

/** The fields that each move sets, besides the state. */
const changes: Record<InvoiceMove, Partial<Invoice>> = {
  finalize: { finalizedAtMs: nowMs },
  settle: { intentId, paidAtMs: nowMs },
  void: { voidedAtMs: nowMs },
  mark_uncollectible: { markedUncollectibleAtMs: nowMs },
}

const events = {
  finalize: 'invoice.finalized',
  settle: 'invoice.paid',
  void: 'invoice.voided',
  mark_uncollectible: null,
} as const

const table: Record<string, Partial<Record<InvoiceMove, string>>> = invoiceLifecycle

/** The cast is needed because the type forbids what these tests try. */
const move = moveInvoice as (
  before: Invoice,
  move: InvoiceMove,
  facts: object,
  nowMs: number,
) => ReturnType<typeof moveInvoice>

describe.each(invoiceStatuses)('an invoice that is %s', (status) => {
  test.each(moves)('%s moves it as the table says, or throws', (name) => {
    const before: Invoice = makeInvoice(status)
    const to = table[status]?.[name]
    if (to === undefined) {
      expect(() => move(before, name, facts[name], nowMs)).toThrow(
        `an invoice that is ${status} cannot ${name}`,
      )
      return
    }
    const change = move(before, name, facts[name], nowMs)
    expect(change.before).toBe(before)
    expect(change.after).toEqual({ ...before, ...changes[name], status: to })
    expect(change.event?.type ?? null).toBe(events[name])
    if (change.event === null) return
    expect(change.event.customerId).toBe(before.customerId)
    expect(JSON.parse(change.event.body)).toMatchObject({
      type: events[name],
      data: { object: renderInvoice(change.after, []) },
    })
  })
})
