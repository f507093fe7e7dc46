import { z } from 'zod'
import { markColor } from './brand.ts'
import { setting } from './setting.ts'

const text = z.string().min(1).max(200)
const texts = z.strictObject({
  fr: text.meta(setting({ description: 'In French.' })),
  en: text.meta(setting({ description: 'In English.' })),
})
const hint = z.string().min(1).max(600)
const hints = z.strictObject({
  fr: hint.meta(setting({ description: 'In French.' })),
  en: hint.meta(setting({ description: 'In English.' })),
})

export const displayName = text.meta(
  setting({ description: 'The rail’s name, for staff and as a default for payers.' }),
)

const displayWords = setting({ description: 'What the payer’s page shows.' })

/** docs/spec-gaps.md, the checkout page. An operator of a country has fewer than twenty. */
const NUMBER_PREFIXES_MAX = 64

/** The first digits of an operator's numbers, with the country code of three digits. */
const numberPrefix = z
  .string()
  .regex(/^[1-9]\d{3,8}$/, 'must be the country code and the first digits of a number, such as 23767')

const payeeNumber = z
  .string()
  .regex(/^[1-9]\d{11}$/, 'must be twelve digits with the country code, such as 237670000000')

/** Texts shown to the payer. A redirect rail explains itself on its own page, so it has no prompt. */
export const redirectDisplay = z
  .strictObject({
    name: texts
      .optional()
      .meta(setting({ description: 'The rail’s name, as payers see it.', absent: '`display_name`' })),
    color: markColor.optional().meta(
      setting({
        description: 'The operator’s color, on the mark beside its name.',
        absent: 'the operator’s own color, if it is known',
      }),
    ),
    number_prefixes: z
      .array(numberPrefix)
      .max(NUMBER_PREFIXES_MAX)
      .optional()
      .meta(
        setting({
          description:
            'The first digits of the operator’s numbers, with the country code. The page proposes the rail for them.',
          absent: 'those of the operator in the rail’s country, if they are known',
        }),
      ),
    payee_number: payeeNumber
      .nullable()
      .default(null)
      .meta(setting({ description: 'The number of the account that is paid. Receipts show it, masked.' })),
  })
  .prefault({})
  .meta(displayWords)

export const pushDisplay = redirectDisplay
  .unwrap()
  .extend({
    prompt: z
      .strictObject({
        mode: z
          .enum(['automatic', 'manual'])
          .default('automatic')
          .meta(
            setting({ description: '`manual`: the handset shows no prompt until the payer dials the code.' }),
          ),
        dial: z
          .string()
          .regex(/^[*#][*#0-9]{1,18}#$/, 'must be a code to dial, such as *126#')
          .nullable()
          .optional()
          .meta(
            setting({
              description: 'The code under which a payer finds waiting requests.',
              absent: 'the operator’s own code, if it is known',
            }),
          ),
        payee_name: text
          .nullable()
          .default(null)
          .meta(
            setting({ description: 'The payee’s name as the prompt shows it, if it is not the merchant’s.' }),
          ),
        hint: hints
          .nullable()
          .default(null)
          .meta(
            setting({
              description:
                'A sentence below the prompt’s instructions. Several lines are steps, which replace the page’s own.',
            }),
          ),
      })
      .prefault({})
      .meta(setting({ description: 'How the operator asks the payer.' })),
  })
  .prefault({})
  .meta(displayWords)

const approvalWindow = setting({
  description: 'How long a payer has to approve. The page counts it down.',
  unit: 's',
})

/** The setting `approval_window_sec`, with the adapter's default. */
export const approvalWindowSec = (sec: number) => z.int().min(30).max(3_600).default(sec).meta(approvalWindow)

export const nameOf = (name: z.output<typeof texts> | undefined, common: string): z.output<typeof texts> =>
  name ?? { fr: common, en: common }
