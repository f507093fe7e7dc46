import { z } from 'zod'

const text = z.string().min(1).max(200)
const texts = z.strictObject({ fr: text, en: text })

export const displayName = text

/** Texts shown to the payer. A redirect rail explains itself on its own page, so it has only a name. */
export const redirectDisplay = z.strictObject({ name: texts.optional() }).prefault({})

export const pushDisplay = redirectDisplay
  .unwrap()
  .extend({
    prompt: z
      .strictObject({
        /** manual: the handset shows no prompt until the payer dials. */
        mode: z.enum(['automatic', 'manual']).default('automatic'),
        dial: z
          .string()
          .regex(/^[*#][*#0-9]{1,18}#$/, 'must be a code to dial, such as *126#')
          .nullable()
          .optional(),
        /** The payee's name as the prompt shows it, if it is not the merchant's. */
        payee_name: text.nullable().default(null),
        hint: texts.nullable().default(null),
      })
      .prefault({}),
  })
  .prefault({})

export const approvalWindowSec = z.int().min(30).max(3_600)

export const nameOf = (name: z.output<typeof texts> | undefined, common: string): z.output<typeof texts> =>
  name ?? { fr: common, en: common }
