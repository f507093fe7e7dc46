import { z } from 'zod'
import { currencies } from './currency.ts'
import {
  boundedText,
  clearable,
  clearableText,
  createdFilter,
  currency,
  DESCRIPTION_CHARS_MAX,
  formArray,
  idFilter,
  idParam,
  listQuery,
  metadata,
  metadataChanges,
  optionalText,
  requiredId,
  unixSeconds,
  wholeNumber,
  wordFilter,
} from './form.ts'
import { InvoiceItem } from './invoice-items.ts'
import { listOf } from './list.ts'
import { operation } from './operation.ts'

export const invoiceStatuses = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const
export type InvoiceStatus = (typeof invoiceStatuses)[number]

/** docs/spec-gaps.md, invoices. */
export const INVOICE_LINES_MAX = 250
/** docs/spec-gaps.md, invoices: of the JSON of the lines together. Migration 0013 holds the same. */
export const INVOICE_LINES_BYTES_MAX = 256 * 1024
const DUE_DAYS_MAX = 365

/** Spec 2.6. `lines.data` is full on every read, and empty in events. */
export const Invoice = z.strictObject({
  id: z.string().regex(/^in_[0-9a-f]{32}$/),
  object: z.literal('invoice'),
  status: z.enum(invoiceStatuses),
  number: z.string().nullable(),
  customer: z.string(),
  currency: z.enum(currencies),
  subtotal: z.int(),
  total: z.int(),
  amount_due: z.int(),
  amount_paid: z.int(),
  amount_remaining: z.int(),
  description: z.string().nullable(),
  due_date: z.int().nullable(),
  payment_intent: z.string().nullable(),
  payment_method_types: z.array(z.string()),
  metadata: z.record(z.string(), z.string()),
  lines: listOf(InvoiceItem),
  status_transitions: z.strictObject({
    finalized_at: z.int().nullable(),
    paid_at: z.int().nullable(),
    voided_at: z.int().nullable(),
    marked_uncollectible_at: z.int().nullable(),
  }),
  created: z.int(),
  livemode: z.boolean(),
})
export type Invoice = z.infer<typeof Invoice>

/** Spec 4.2: the draft as it was. Clients of the compatible API look for `deleted`. */
const DeletedInvoice = Invoice.extend({ deleted: z.literal(true) })
export type DeletedInvoice = z.infer<typeof DeletedInvoice>

const daysUntilDue = wholeNumber(0, DUE_DAYS_MAX).optional()
const railCodes = formArray(boundedText(64))

interface Due {
  readonly due_date?: number | null | undefined
  readonly days_until_due?: number | undefined
}

function refuseDueTwice({ due_date, days_until_due }: Due, ctx: z.RefinementCtx): void {
  if (due_date === undefined || days_until_due === undefined) return
  ctx.addIssue({ code: 'custom', message: 'cannot be combined with due_date', path: ['days_until_due'] })
}

export const createInvoice = operation({
  id: 'invoices.create',
  surface: 'v1',
  method: 'POST',
  path: '/v1/invoices',
  body: z
    .object({
      customer: requiredId,
      currency,
      description: optionalText(DESCRIPTION_CHARS_MAX),
      due_date: unixSeconds.optional(),
      days_until_due: daysUntilDue,
      payment_method_types: railCodes.optional(),
      metadata,
    })
    .superRefine(refuseDueTwice),
  ok: { status: 200, schema: Invoice },
})

export const listInvoices = operation({
  id: 'invoices.list',
  surface: 'v1',
  method: 'GET',
  path: '/v1/invoices',
  query: z.strictObject({
    ...listQuery('in'),
    customer: idFilter('cus'),
    status: wordFilter(invoiceStatuses),
    created: createdFilter,
  }),
  ok: { status: 200, schema: listOf(Invoice) },
})

const params = z.object({ id: idParam('in') })

export const retrieveInvoice = operation({
  id: 'invoices.retrieve',
  surface: 'v1',
  method: 'GET',
  path: '/v1/invoices/{id}',
  params,
  ok: { status: 200, schema: Invoice },
})

export const updateInvoice = operation({
  id: 'invoices.update',
  surface: 'v1',
  method: 'POST',
  also: 'PATCH',
  path: '/v1/invoices/{id}',
  params,
  body: z
    .object({
      description: clearableText(DESCRIPTION_CHARS_MAX),
      due_date: clearable(unixSeconds),
      days_until_due: daysUntilDue,
      payment_method_types: clearable(railCodes),
      metadata: metadataChanges,
    })
    .superRefine(refuseDueTwice),
  ok: { status: 200, schema: Invoice },
})

export const deleteInvoice = operation({
  id: 'invoices.del',
  surface: 'v1',
  method: 'DELETE',
  path: '/v1/invoices/{id}',
  params,
  ok: { status: 200, schema: DeletedInvoice },
})

/** A move of an invoice, or the minting of its intent: without parameters, answered with the invoice. */
const action = (id: string, name: string) =>
  operation({
    id: `invoices.${id}`,
    surface: 'v1',
    method: 'POST',
    path: `/v1/invoices/{id}/${name}`,
    params,
    ok: { status: 200, schema: Invoice },
  })

export const finalizeInvoice = action('finalizeInvoice', 'finalize')
export const voidInvoice = action('voidInvoice', 'void')
export const markInvoiceUncollectible = action('markUncollectible', 'mark_uncollectible')
export const payInvoice = action('pay', 'pay')
