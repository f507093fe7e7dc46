import { z } from 'zod'
import { currencies } from './currency.ts'
import { idPattern } from './form.ts'

/** Fields shared by several answer objects, each described once. */

/** An object's own id. All examples use the same id, so that they fit together. */
export const idField = (prefix: string, example: string) =>
  z
    .string()
    .regex(idPattern(prefix))
    .meta({
      description: `Identifier: \`${prefix}_\` and 32 hexadecimal digits. It is not a secret.`,
      examples: [example],
    })

export const objectField = <const Name extends string>(name: Name) =>
  z.literal(name).describe(`The kind of this object: always \`${name}\`.`)

/** The first second of 2026 (UTC). */
const EXAMPLE_SEC = 1_767_225_600

export const created = z
  .int()
  .meta({ description: 'When the object was created, in Unix seconds.', examples: [EXAMPLE_SEC] })

export const livemode = z
  .boolean()
  .describe('True on a deployment that moves real money, and false in test mode.')

export const metadataField = z
  .record(z.string(), z.string())
  .describe('The key-value pairs that the merchant stored with the object. Empty if there are none.')

export const currencyField = z.enum(currencies).meta({
  id: 'Currency',
  description:
    'Currency of the amounts, in upper case. Amounts are integers in its minor unit: XAF has none, so 1000 XAF is 1000 francs; EUR has two digits, so 1000 EUR is 10 euros (spec 1.3).',
})

/** An integer in the currency's minor unit. */
export const minorUnits = (description: string) =>
  z.int().meta({ description: `${description} In minor units of the currency.`, examples: [5000] })

/** An instant, in Unix seconds. */
export const unixSecondsField = (description: string) =>
  z.int().meta({ description: `${description} In Unix seconds.`, examples: [EXAMPLE_SEC] })

/** The code of a rail of the deployment (spec 1.4). */
export const railCodeField = (description: string) =>
  z.string().meta({ description, examples: ['mtn_momo_cm'] })
