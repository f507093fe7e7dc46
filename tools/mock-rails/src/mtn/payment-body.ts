import { z } from 'zod'
import type { Checked } from '../wire/answer.ts'
import { parseJson } from '../wire/parse-json.ts'
import { badRequest } from './answers.ts'
import type { Party, PaymentDraft } from './payment.ts'

const MAX_NOTE_LENGTH = 160

// MTN refuses "unsupported special characters" and names the apostrophe; integrators also report the
// ampersand.
const note = z
  .string()
  .max(MAX_NOTE_LENGTH)
  .regex(/^[^'&]*$/, 'unsupported special character')
  .optional()

const party = z.object({
  partyIdType: z.literal('MSISDN'),
  partyId: z.string().regex(/^\d{1,20}$/, 'digits only, without +'),
})

const fields = {
  amount: z.string().regex(/^(?=.*[1-9])\d{1,12}(\.\d{1,4})?$/, 'a positive decimal string'),
  currency: z.string().regex(/^[A-Z]{3}$/),
  externalId: z.string().max(255).optional(),
  payerMessage: note,
  payeeNote: note,
}

const schemas = {
  payer: z.object({ ...fields, payer: party }).transform((body) => ({ ...body, msisdn: body.payer.partyId })),
  payee: z.object({ ...fields, payee: party }).transform((body) => ({ ...body, msisdn: body.payee.partyId })),
}

export type PaymentBody = Omit<PaymentDraft, 'reference' | 'callbackUrl'>

export function parsePaymentBody(text: string, side: Party): Checked<PaymentBody> {
  const parsed = schemas[side].safeParse(parseJson(text))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return { refusal: badRequest(`body ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`) }
  }
  const { amount, currency, externalId, msisdn, payerMessage, payeeNote } = parsed.data
  return {
    ok: {
      amount: normaliseAmount(amount),
      currency,
      externalId: externalId ?? null,
      msisdn,
      payerMessage: payerMessage ?? null,
      payeeNote: payeeNote ?? null,
    },
  }
}

/** MTN echoes "5.0" as "5". */
export function normaliseAmount(amount: string): string {
  const [whole = '', fraction = ''] = amount.split('.')
  const digits = fraction.replace(/0+$/, '')
  const units = whole.replace(/^0+(?=\d)/, '')
  return digits === '' ? units : `${units}.${digits}`
}
