import { z } from 'zod'
import { currencies } from './currency.ts'
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
export const InvoiceItem = z.strictObject({
  id: z.string().regex(/^ii_[0-9a-f]{32}$/),
  object: z.literal('invoiceitem'),
  invoice: z.string(),
  customer: z.string(),
  currency: z.enum(currencies),
  amount: z.int(),
  unit_amount: z.int(),
  quantity: z.int(),
  description: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  created: z.int(),
  livemode: z.boolean(),
})
export type InvoiceItem = z.infer<typeof InvoiceItem>

/** Spec 4.2: the line as it was. Clients of the compatible API look for `deleted`. */
const DeletedInvoiceItem = InvoiceItem.extend({ deleted: z.literal(true) })
export type DeletedInvoiceItem = z.infer<typeof DeletedInvoiceItem>

/** `amount`, or `unit_amount` with `quantity`. */
const price = {
  amount: signedAmount.optional(),
  unit_amount: signedAmount.optional(),
  quantity: wholeNumber(1, QUANTITY_MAX).optional(),
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
  body: z
    .object({
      invoice: requiredId,
      customer: optionalText(255),
      currency: currency.optional(),
      ...price,
      description: optionalText(DESCRIPTION_CHARS_MAX),
      metadata,
    })
    .superRefine((body, ctx) => {
      if (body.amount === undefined && body.unit_amount === undefined) {
        refuse(ctx, 'amount', 'is required, or unit_amount in its place')
      }
      refusePriceTwice(body, ctx)
    }),
  ok: { status: 200, schema: InvoiceItem },
})

export const retrieveInvoiceItem = operation({
  id: 'invoiceItems.retrieve',
  surface: 'v1',
  method: 'GET',
  path: '/v1/invoice_items/{id}',
  params: z.object({ id: idParam('ii') }),
  ok: { status: 200, schema: InvoiceItem },
})

export const updateInvoiceItem = operation({
  id: 'invoiceItems.update',
  surface: 'v1',
  method: 'POST',
  also: 'PATCH',
  path: '/v1/invoice_items/{id}',
  params: z.object({ id: idParam('ii') }),
  body: z
    .object({ ...price, description: clearableText(DESCRIPTION_CHARS_MAX), metadata: metadataChanges })
    .superRefine(refusePriceTwice),
  ok: { status: 200, schema: InvoiceItem },
})

export const deleteInvoiceItem = operation({
  id: 'invoiceItems.del',
  surface: 'v1',
  method: 'DELETE',
  path: '/v1/invoice_items/{id}',
  params: z.object({ id: idParam('ii') }),
  ok: { status: 200, schema: DeletedInvoiceItem },
})
