import { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import { type Example, exampleIds } from './examples.ts'
import {
  created,
  currencyField,
  idField,
  livemode,
  metadataField,
  minorUnits,
  objectField,
  railCodeField,
  unixSecondsField,
} from './fields.ts'
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
import { invoiceStatuses } from './words.ts'

export type InvoiceStatus = (typeof invoiceStatuses)[number]

export const INVOICE_LINES_MAX = 250
/** Limit of the JSON of all lines together, also in migration 0013. docs/spec-gaps.md, invoices. */
export const INVOICE_LINES_BYTES_MAX = 256 * 1024
const DUE_DAYS_MAX = 365

const invoiceStatus = z.enum(invoiceStatuses).meta({
  id: 'InvoiceStatus',
  description:
    'State of an invoice. A `draft` takes lines; finalizing makes it `open`. An open invoice becomes paid (`paid`), voided (`void`) or written off (`uncollectible`). An uncollectible one can still be paid or voided.',
})

const transition = (what: string) =>
  unixSecondsField(`When the invoice was ${what}.`)
    .nullable()
    .describe(`When the invoice was ${what}, in Unix seconds. Null if it was not.`)

const InvoiceStatusTransitions = z
  .strictObject({
    finalized_at: transition('finalized'),
    paid_at: transition('paid'),
    voided_at: transition('voided'),
    marked_uncollectible_at: transition('marked uncollectible'),
  })
  .meta({
    id: 'InvoiceStatusTransitions',
    description: 'When an invoice entered its states, in Unix seconds.',
  })

/** Spec 2.6. `lines.data` has all lines in every answer, and is empty in events. */
export const Invoice = z
  .strictObject({
    id: idField('in', exampleIds.draft),
    object: objectField('invoice'),
    status: invoiceStatus,
    number: z
      .string()
      .nullable()
      .describe('The invoice’s number: from 1 in order of finalization, without gaps. Null on a draft.'),
    customer: z.string().describe('The id of the customer who is billed.'),
    currency: currencyField,
    subtotal: minorUnits('The sum of the lines.'),
    total: minorUnits('Billed amount: the sum of the lines. It can be negative on a draft.'),
    amount_due: minorUnits('Amount to pay: the total, or 0 if the total is negative.'),
    amount_paid: minorUnits('Paid amount: the total if the invoice is paid, otherwise 0.'),
    amount_remaining: minorUnits('Amount still to pay: `amount_due` less `amount_paid`.'),
    description: z
      .string()
      .nullable()
      .describe(
        `The merchant’s own text, at most ${DESCRIPTION_CHARS_MAX} characters. Null if there is none.`,
      ),
    due_date: unixSecondsField('When the invoice is due.')
      .nullable()
      .describe(
        'When the invoice is due, in Unix seconds. Null if it has no due date. The service does nothing at that time.',
      ),
    payment_intent: z
      .string()
      .nullable()
      .describe('The id of the payment intent that pays the invoice. Null until the first `pay` call.'),
    payment_method_types: z
      .array(railCodeField('The code of a rail.'))
      .describe(
        'Codes of the rails on which the invoice can be paid. An empty list means every rail that settles in its currency.',
      ),
    metadata: metadataField,
    lines: listOf(InvoiceItem, 'The lines, in the order in which they were added.').describe(
      'All lines of the invoice, also in lists. `lines.data` is empty in events (spec 6.2).',
    ),
    status_transitions: InvoiceStatusTransitions,
    created,
    livemode,
  })
  .meta({
    id: 'Invoice',
    description: 'A bill for one customer (spec 2.6). Amounts are in minor units of its currency.',
  })
export type Invoice = z.infer<typeof Invoice>

/** Answer of a DELETE: the draft before its deletion (spec 4.2). Clients of the compatible API check `deleted`. */
const DeletedInvoice = Invoice.extend({ deleted: z.literal(true).describe('Always true.') }).meta({
  id: 'DeletedInvoice',
  description: 'A deleted draft, in its last state.',
})
export type DeletedInvoice = z.infer<typeof DeletedInvoice>

const daysUntilDue = wholeNumber(0, DUE_DAYS_MAX)
  .optional()
  .describe(`Due date in days from the request, in place of \`due_date\`: 0 to ${DUE_DAYS_MAX}.`)
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
  summary: 'Create a draft invoice',
  description: [
    'Creates a draft without lines and writes `invoice.created`. Add lines with the invoice items, then finalize the invoice and pay it.',
    'Customer and currency cannot change later.',
  ],
  body: z
    .object({
      customer: requiredId.describe(
        'The id of the customer who is billed. An unknown id, and one of another merchant, is the same 400.',
      ),
      currency: currency.describe('Currency of all amounts of the invoice, in upper or lower case.'),
      description: optionalText(DESCRIPTION_CHARS_MAX).describe(
        `Your own text for the invoice, at most ${DESCRIPTION_CHARS_MAX} characters.`,
      ),
      due_date: unixSeconds
        .optional()
        .describe(
          'When the invoice is due, in Unix seconds. Not together with `days_until_due`. A customer that no request uses for 365 days is erased, and the invoice can then not be paid.',
        ),
      days_until_due: daysUntilDue,
      payment_method_types: railCodes
        .optional()
        .describe(
          'Codes of rails that the deployment enables. Default: every rail that settles in the currency.',
        ),
      metadata,
    })
    .superRefine(refuseDueTwice),
  errors: ['customer_erased'],
  ok: { status: 200, schema: Invoice, description: 'The new draft.' },
  example: {
    params: { customer: exampleIds.customer, currency: 'XAF', days_until_due: 30 },
    answer: { object: 'invoice', customer: exampleIds.customer, status: 'draft', number: null, total: 0 },
  },
})

export const listInvoices = operation({
  id: 'invoices.list',
  surface: 'v1',
  method: 'GET',
  path: '/v1/invoices',
  summary: 'List invoices with their lines, newest first',
  description: ['Pages through the invoices of the merchant. All given filters must hold.'],
  query: z.strictObject({
    ...listQuery('in'),
    customer: idFilter('cus').describe('Shows invoices of this customer. An unknown id matches nothing.'),
    status: wordFilter(invoiceStatuses).describe('Shows invoices in this state.'),
    created: createdFilter,
  }),
  errors: [],
  ok: {
    status: 200,
    schema: listOf(Invoice),
    description: 'One page of invoices, each with all of its lines.',
  },
  example: { params: { status: 'open' }, answer: { object: 'list', url: '/v1/invoices' } },
})

const params = z.object({ id: idParam('in') })

export const retrieveInvoice = operation({
  id: 'invoices.retrieve',
  surface: 'v1',
  method: 'GET',
  path: '/v1/invoices/{id}',
  summary: 'Read an invoice with all of its lines',
  description: ['Reads an invoice. `lines.data` has all of its lines (spec 2.6).'],
  params,
  errors: [],
  ok: { status: 200, schema: Invoice, description: 'The invoice.' },
  example: { id: exampleIds.billed, answer: { id: exampleIds.billed, object: 'invoice', total: 5000 } },
})

export const updateInvoice = operation({
  id: 'invoices.update',
  surface: 'v1',
  method: 'POST',
  also: 'PATCH',
  path: '/v1/invoices/{id}',
  summary: 'Change a draft, or the description of an invoice',
  description: [
    'Changes only the fields that are sent. On a finalized invoice, only `description` and `metadata` can change. No event is written.',
  ],
  params,
  body: z
    .object({
      description: clearableText(DESCRIPTION_CHARS_MAX).describe(
        `Your own text for the invoice, at most ${DESCRIPTION_CHARS_MAX} characters. An empty value clears it.`,
      ),
      due_date: clearable(unixSeconds).describe(
        'When the invoice is due, in Unix seconds. An empty value clears it. Not together with `days_until_due`.',
      ),
      days_until_due: daysUntilDue,
      payment_method_types: clearable(railCodes).describe(
        'Codes of rails that the deployment enables. An empty value clears the list, which then means every rail that settles in the currency.',
      ),
      metadata: metadataChanges,
    })
    .superRefine(refuseDueTwice),
  errors: ['invoice_not_draft'],
  ok: { status: 200, schema: Invoice, description: 'The invoice after the change.' },
  example: {
    id: exampleIds.openInvoice,
    params: { description: 'May, corrected', metadata: { order: '42' } },
    answer: { id: exampleIds.openInvoice, description: 'May, corrected', metadata: { order: '42' } },
  },
})

export const deleteInvoice = operation({
  id: 'invoices.del',
  surface: 'v1',
  method: 'DELETE',
  path: '/v1/invoices/{id}',
  summary: 'Delete a draft with its lines',
  description: [
    'Deletes a draft. A finalized invoice cannot be deleted; void it instead.',
    'A second DELETE is a 404, also for a retry after a lost answer: that 404 can mean that this call deleted it.',
  ],
  params,
  errors: ['invoice_not_draft'],
  ok: {
    status: 200,
    schema: DeletedInvoice,
    description: 'The draft before its deletion, with `deleted: true`.',
  },
  example: { id: exampleIds.draft, answer: { id: exampleIds.draft, object: 'invoice', deleted: true } },
})

interface Action {
  readonly id: string
  readonly name: string
  readonly summary: string
  readonly description: readonly string[]
  readonly errors: readonly ErrorCode[]
  readonly ok: string
  readonly example: Example
}

/**
 * A change of an invoice's state, or the creation of its intent. It has no parameters, and answers with the invoice.
 */
const action = ({ id, name, ok, ...words }: Action) =>
  operation({
    id: `invoices.${id}`,
    surface: 'v1',
    method: 'POST',
    path: `/v1/invoices/{id}/${name}`,
    ...words,
    params,
    ok: { status: 200, schema: Invoice, description: ok },
  })

export const finalizeInvoice = action({
  id: 'finalizeInvoice',
  name: 'finalize',
  summary: 'Finalize a draft and number it',
  description: [
    'Makes a draft `open`, gives it the merchant’s next number and writes `invoice.finalized`. Its lines and its total can then no longer change.',
    'A draft needs a line, and a total of 1 to 99 999 999 in minor units. Otherwise the answer is a 400 that names `lines`.',
  ],
  errors: ['invoice_not_draft', 'customer_erased'],
  ok: 'The open invoice, with its number.',
  example: { id: exampleIds.billed, answer: { id: exampleIds.billed, status: 'open', total: 5000 } },
})

export const voidInvoice = action({
  id: 'voidInvoice',
  name: 'void',
  summary: 'Void an open or uncollectible invoice',
  description: [
    'Voids an open or uncollectible invoice and writes `invoice.voided`. It keeps its number, and its payment intent can no longer be confirmed.',
    'While a charge of the invoice may still succeed, the answer is a 409 `charge_in_progress`.',
  ],
  errors: ['invoice_draft', 'invoice_paid', 'invoice_void', 'charge_in_progress'],
  ok: 'The void invoice.',
  example: { id: exampleIds.openInvoice, answer: { id: exampleIds.openInvoice, status: 'void' } },
})

export const markInvoiceUncollectible = action({
  id: 'markUncollectible',
  name: 'mark_uncollectible',
  summary: 'Write an open invoice off',
  description: [
    'Marks an open invoice as uncollectible. It can still be paid or voided. No event is written (spec 6.1).',
    'While a charge of the invoice may still succeed, the answer is a 409 `charge_in_progress`.',
  ],
  errors: ['invoice_draft', 'invoice_paid', 'invoice_void', 'invoice_uncollectible', 'charge_in_progress'],
  ok: 'The uncollectible invoice.',
  example: { id: exampleIds.openInvoice, answer: { id: exampleIds.openInvoice, status: 'uncollectible' } },
})

export const payInvoice = action({
  id: 'pay',
  name: 'pay',
  summary: 'Create the payment intent that pays an invoice',
  description: [
    'Creates a payment intent over the total of an open or uncollectible invoice. Confirm that intent. When it succeeds, `invoice.paid` is written.',
    'An invoice never has two payable intents: a waiting intent is returned again, and a canceled one is replaced. While a charge of the invoice may still succeed, the answer is a 409 `charge_in_progress`. An invoice that no enabled rail can settle is a 400 that names `payment_method_types`.',
    'A waiting intent that payers can no longer confirm is a 409: `too_many_attempts` after their 10 charges, `intent_has_no_rail` if the deployment no longer has its rails. Cancel that intent, then pay the invoice again.',
  ],
  errors: [
    'invoice_draft',
    'invoice_paid',
    'invoice_void',
    'charge_in_progress',
    'too_many_attempts',
    'intent_has_no_rail',
    'customer_erased',
  ],
  ok: 'The invoice. Confirm its `payment_intent`.',
  example: {
    id: exampleIds.openInvoice,
    answer: { id: exampleIds.openInvoice, status: 'open', amount_remaining: 5000 },
  },
})
