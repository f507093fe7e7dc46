import type { WrittenEventType } from '@merchant-payments/contract'
import { type AnyMove, lifecycle } from '../base/lifecycle.ts'

/** Spec 3.5, with the choices of docs/spec-gaps.md. A payment makes the move `settle`. */
export const invoiceLifecycle = lifecycle({
  draft: { finalize: 'open' },
  open: { settle: 'paid', void: 'void', mark_uncollectible: 'uncollectible' },
  uncollectible: { settle: 'paid', void: 'void' },
  paid: {},
  void: {},
})

export type InvoiceLifecycle = typeof invoiceLifecycle
export type InvoiceMove = AnyMove<InvoiceLifecycle>

/** Spec 6.1: invoice.marked_uncollectible is never written. */
export const invoiceEvent = {
  finalize: 'invoice.finalized',
  settle: 'invoice.paid',
  void: 'invoice.voided',
  mark_uncollectible: null,
} as const satisfies Record<InvoiceMove, WrittenEventType | null>
