import { z } from 'zod'
import { exampleIds } from './examples.ts'
import {
  created,
  currencyField,
  idField,
  livemode,
  metadataField,
  minorUnits,
  objectField,
} from './fields.ts'
import {
  clearableText,
  currency,
  DESCRIPTION_CHARS_MAX,
  idParam,
  metadata,
  metadataChanges,
  optionalText,
  requiredId,
  signedAmount,
  wholeNumber,
} from './form.ts'
import { operation } from './operation.ts'

/** docs/spec-gaps.md, invoices: a line's amount must stay within its own limit, whatever the quantity. */
const QUANTITY_MAX = 999_999

/** Spec 2.6. `customer` and `currency` are the invoice's. */
export const InvoiceItem = z
  .strictObject({
    id: idField('ii', exampleIds.item),
    object: objectField('invoiceitem'),
    invoice: z.string().describe('The id of the invoice that the line belongs to.'),
    customer: z.string().describe('The id of the invoice’s customer.'),
    currency: currencyField,
    amount: minorUnits(
      'What the line costs: `unit_amount` times `quantity`, within ±99 999 999 and never 0. Less than 0 for a credit.',
    ),
    unit_amount: minorUnits('What one piece costs. Less than 0 for a credit.'),
    quantity: z.int().describe('How many pieces the line bills: 1 to 999 999.'),
    description: z
      .string()
      .nullable()
      .describe(`What is billed, at most ${DESCRIPTION_CHARS_MAX} characters. Null if there is none.`),
    metadata: metadataField,
    created,
    livemode,
  })
  .meta({
    id: 'InvoiceItem',
    description: 'A line of an invoice (spec 2.6). It can change while the invoice is a draft.',
  })
export type InvoiceItem = z.infer<typeof InvoiceItem>

/** Spec 4.2: the line as it was. Clients of the compatible API look for `deleted`. */
const DeletedInvoiceItem = InvoiceItem.extend({ deleted: z.literal(true).describe('Always true.') }).meta({
  id: 'DeletedInvoiceItem',
  description: 'A line that was taken off its draft, as it was.',
})
export type DeletedInvoiceItem = z.infer<typeof DeletedInvoiceItem>

/** `amount`, or `unit_amount` with `quantity`. */
const price = {
  amount: signedAmount
    .optional()
    .describe(
      'What the line costs as one piece: -99 999 999 to 99 999 999 and not 0, in minor units of the currency. Less than 0 is a credit. Not together with `unit_amount` or `quantity`.',
    ),
  unit_amount: signedAmount
    .optional()
    .describe(
      'What one piece costs, in place of `amount` and within the same limits, in minor units of the currency. The product with `quantity` has these limits too.',
    ),
  quantity: wholeNumber(1, QUANTITY_MAX)
    .optional()
    .describe('How many pieces, 1 to 999 999, with `unit_amount`. 1 if it is not sent.'),
}

interface Price {
  readonly amount?: number | undefined
  readonly unit_amount?: number | undefined
  readonly quantity?: number | undefined
}

/** An `amount` is of one piece: it goes with neither of the other two. */
function refusePriceTwice({ amount, unit_amount, quantity }: Price, ctx: z.RefinementCtx): void {
  if (amount === undefined) return
  if (unit_amount !== undefined) refuse(ctx, 'unit_amount', 'cannot be combined with amount')
  else if (quantity !== undefined) refuse(ctx, 'quantity', 'needs unit_amount in place of amount')
}

const refuse = (ctx: z.RefinementCtx, param: string, message: string) =>
  ctx.addIssue({ code: 'custom', message, path: [param] })

export const createInvoiceItem = operation({
  id: 'invoiceItems.create',
  surface: 'v1',
  method: 'POST',
  path: '/v1/invoice_items',
  summary: 'Add a line to a draft',
  description: [
    'Adds a line to a draft, which takes at most 250 lines and 256 KiB of them together. The total of the draft follows at once.',
    'Give `amount`, or `unit_amount` with `quantity`. An amount below 0 is a credit.',
  ],
  body: z
    .object({
      invoice: requiredId.describe(
        'The id of an invoice of yours that is a draft. An unknown id is a 400 that names it.',
      ),
      customer: optionalText(255).describe('Must be the invoice’s customer, if it is sent.'),
      currency: currency
        .optional()
        .describe('Must be the invoice’s currency, if it is sent. In upper or lower case.'),
      ...price,
      description: optionalText(DESCRIPTION_CHARS_MAX).describe(
        `What is billed, at most ${DESCRIPTION_CHARS_MAX} characters.`,
      ),
      metadata,
    })
    .superRefine((body, ctx) => {
      if (body.amount === undefined && body.unit_amount === undefined) {
        refuse(ctx, 'amount', 'is required, or unit_amount in its place')
      }
      refusePriceTwice(body, ctx)
    }),
  errors: ['invoice_not_draft'],
  ok: { status: 200, schema: InvoiceItem, description: 'The new line.' },
  example: {
    params: { invoice: exampleIds.draft, unit_amount: 2500, quantity: 2, description: 'Bag of rice' },
    answer: { object: 'invoiceitem', invoice: exampleIds.draft, amount: 5000, quantity: 2 },
  },
})

export const retrieveInvoiceItem = operation({
  id: 'invoiceItems.retrieve',
  surface: 'v1',
  method: 'GET',
  path: '/v1/invoice_items/{id}',
  summary: 'Read a line of an invoice',
  description: [
    'Reads a line. There is no list of lines: an invoice shows its own in `lines.data` (spec 4.2).',
  ],
  params: z.object({ id: idParam('ii') }),
  errors: [],
  ok: { status: 200, schema: InvoiceItem, description: 'The line.' },
  example: { id: exampleIds.item, answer: { id: exampleIds.item, object: 'invoiceitem', amount: 5000 } },
})

export const updateInvoiceItem = operation({
  id: 'invoiceItems.update',
  surface: 'v1',
  method: 'POST',
  also: 'PATCH',
  path: '/v1/invoice_items/{id}',
  summary: 'Change a line of a draft',
  description: [
    'Changes the fields that are sent, and no other. The total of the draft follows at once.',
    'A line of a finalized invoice never changes.',
  ],
  params: z.object({ id: idParam('ii') }),
  body: z
    .object({
      ...price,
      description: clearableText(DESCRIPTION_CHARS_MAX).describe(
        `What is billed, at most ${DESCRIPTION_CHARS_MAX} characters. An empty value clears it.`,
      ),
      metadata: metadataChanges,
    })
    .superRefine(refusePriceTwice),
  errors: ['invoice_not_draft'],
  ok: { status: 200, schema: InvoiceItem, description: 'The line after the change.' },
  example: {
    id: exampleIds.item,
    params: { description: 'Bag of rice, 25 kg', metadata: { sku: 'R25' } },
    answer: { id: exampleIds.item, description: 'Bag of rice, 25 kg', metadata: { sku: 'R25' } },
  },
})

export const deleteInvoiceItem = operation({
  id: 'invoiceItems.del',
  surface: 'v1',
  method: 'DELETE',
  path: '/v1/invoice_items/{id}',
  summary: 'Take a line off a draft',
  description: [
    'Removes a line from its draft. The total of the draft follows at once.',
    'A second DELETE is a 404, also for a retry after a lost answer.',
  ],
  params: z.object({ id: idParam('ii') }),
  errors: ['invoice_not_draft'],
  ok: { status: 200, schema: DeletedInvoiceItem, description: 'The line as it was, with `deleted: true`.' },
  example: { id: exampleIds.item, answer: { id: exampleIds.item, object: 'invoiceitem', deleted: true } },
})
