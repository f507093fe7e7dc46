import { commonRailFields } from '@merchant-payments/config'
import { z } from 'zod'

/** The configuration of a voucher desk. */
export const voucherDesk = () =>
  z
    .strictObject({
      adapter: z.literal('voucher_desk'),
      ...commonRailFields,
      settlement_currency: z.literal('XAF'),
      desk: z.string().min(1),
    })
    .transform((rail) => ({
      ...rail,
      display: {
        name: { fr: 'Bons', en: 'Vouchers' },
        color: null,
        number_prefixes: [],
        payee_number: null,
        prompt: null,
      },
    }))
