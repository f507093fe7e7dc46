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

/** Keeps a line's amount within its own limit. docs/spec-gaps.md, invoices. */
const QUANTITY_MAX = 999_999

/** Spec 2.6. `customer` and `currency` are copied from the invoice. */
export const InvoiceItem = z
  .strictObject({
    id: idField('ii', exampleIds.item),
    object: objectField('invoiceitem'),
    invoice: z.string().describe('The id of the invoice that the line belongs to.'),
    customer: z.string().describe('The id of the invoice’s customer.'),
    currency: currencyField,
    amount: minorUnits(
      'Amount of the line: `unit_amount` times `quantity`, within ±99 999 999 and not 0. Negative for a credit.',
    ),
    unit_amount: minorUnits('Price of one unit. Negative for a credit.'),
    quantity: z.int().describe('Number of units: 1 to 999 999.'),
    description: z
      .string()
      .nullable()
      .describe(
        `Description of the line, at most ${DESCRIPTION_CHARS_MAX} characters. Null if there is none.`,
      ),
    metadata: metadataField,
    created,
    livemode,
  })
  .meta({
    id: 'InvoiceItem',
    description: 'A line of an invoice (spec 2.6). It can change while the invoice is a draft.',
  })
export type InvoiceItem = z.infer<typeof InvoiceItem>

/** Answer of a DELETE: the line before its deletion (spec 4.2). Clients of the compatible API check `deleted`. */
const DeletedInvoiceItem = InvoiceItem.extend({ deleted: z.literal(true).describe('Always true.') }).meta({
  id: 'DeletedInvoiceItem',
  description: 'A line that was deleted from its draft, in its last state.',
})
export type DeletedInvoiceItem = z.infer<typeof DeletedInvoiceItem>

const price = {
  amount: signedAmount
    .optional()
    .describe(
      'Amount of a line of one unit: -99 999 999 to 99 999 999 and not 0, in minor units of the currency. A negative amount is a credit. Not together with `unit_amount` or `quantity`.',
    ),
  unit_amount: signedAmount
    .optional()
    .describe(
      'Price of one unit, in place of `amount`, in minor units of the currency. It has the limits of `amount`, and so has its product with `quantity`.',
    ),
  quantity: wholeNumber(1, QUANTITY_MAX)
    .optional()
    .describe('Number of units, 1 to 999 999, with `unit_amount`. Default: 1.'),
}

interface Price {
  readonly amount?: number | undefined
  readonly unit_amount?: number | undefined
  readonly quantity?: number | undefined
}

/** `amount` is the price of a single unit, so it excludes `unit_amount` and `quantity`. */
function refusePriceTwice({ amount, unit_amount, quantity }: Price, ctx: z.RefinementCtx): void {
  if (amount === undefined) return
  if (unit_amount !== undefined) refuse(ctx, 'unit_amount', 'cannot be combined with amount')
  else if (quantity !== undefined) refuse(ctx, 'quantity', 'requires unit_amount instead of amount')
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
    'Adds a line to a draft. A draft has at most 250 lines and 256 KiB of lines. The draft’s total changes in the same transaction.',
    'Send `amount`, or `unit_amount` with `quantity`. A negative amount is a credit.',
  ],
  body: z
    .object({
      invoice: requiredId.describe(
        'The id of an invoice of yours that is a draft. An unknown id is a 400 that names it.',
      ),
      customer: optionalText(255).describe('If sent, it must be the invoice’s customer.'),
      currency: currency
        .optional()
        .describe('If sent, it must be the invoice’s currency, in upper or lower case.'),
      ...price,
      description: optionalText(DESCRIPTION_CHARS_MAX).describe(
        `Description of the line, at most ${DESCRIPTION_CHARS_MAX} characters.`,
      ),
      metadata,
    })
    .superRefine((body, ctx) => {
      if (body.amount === undefined && body.unit_amount === undefined) {
        refuse(ctx, 'amount', 'or unit_amount is required')
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
    'Reads a line. There is no list of lines, because an invoice has its lines in `lines.data` (spec 4.2).',
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
    'Changes only the fields that are sent. The draft’s total changes in the same transaction.',
    'A line of a finalized invoice cannot change.',
  ],
  params: z.object({ id: idParam('ii') }),
  body: z
    .object({
      ...price,
      description: clearableText(DESCRIPTION_CHARS_MAX).describe(
        `Description of the line, at most ${DESCRIPTION_CHARS_MAX} characters. An empty value clears it.`,
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
  summary: 'Delete a line of a draft',
  description: [
    'Deletes a line of a draft. The draft’s total changes in the same transaction.',
    'A second DELETE is a 404, also for a retry after a lost answer: that 404 can mean that this call deleted it.',
  ],
  params: z.object({ id: idParam('ii') }),
  errors: ['invoice_not_draft'],
  ok: {
    status: 200,
    schema: DeletedInvoiceItem,
    description: 'The line before its deletion, with `deleted: true`.',
  },
  example: { id: exampleIds.item, answer: { id: exampleIds.item, object: 'invoiceitem', deleted: true } },
})
