import { z } from 'zod'

const text = z.string().min(1).max(200)
const texts = z.strictObject({ fr: text, en: text })

export const displayName = text

/** What payers are told, on a rail that sends the payer to a page of its own, which speaks for itself. */
export const redirectDisplay = z.strictObject({ name: texts.optional() }).prefault({})

/** The same, on a rail that prompts the payer's handset. */
export const pushDisplay = redirectDisplay
  .unwrap()
  .extend({
    prompt: z
      .strictObject({
        /** manual: nothing appears by itself, the payer dials first. */
        mode: z.enum(['automatic', 'manual']).default('automatic'),
        dial: z
          .string()
          .regex(/^[*#][*#0-9]{1,18}#$/, 'must be a code to dial, such as *126#')
          .nullable()
          .optional(),
        /** As the prompt names whoever is paid, where that is not the merchant. */
        payee_name: text.nullable().default(null),
        hint: texts.nullable().default(null),
      })
      .prefault({}),
  })
  .prefault({})

/** How long the rail lets the payer approve. */
export const approvalWindowSec = z.int().min(30).max(3_600)

export const nameOf = (name: z.output<typeof texts> | undefined, common: string): z.output<typeof texts> =>
  name ?? { fr: common, en: common }
