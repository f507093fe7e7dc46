import { readFileSync } from 'node:fs'
import { z } from 'zod'

export type Environment = Readonly<Record<string, string | undefined>>

/** A value that does not show in prints, logs and JSON. */
export interface Secret {
  readonly reveal: () => string
  readonly toJSON: () => string
}

export const secretOf = (value: string): Secret =>
  Object.freeze({ reveal: () => value, toJSON: () => '[secret]' })

interface ReferenceRules {
  readonly env: Environment
  readonly literal: boolean
}

/** Text given as `{env: NAME}`, or literally where the rules allow it. */
export const referencedText = ({ env, literal }: ReferenceRules) =>
  z
    .unknown()
    .transform((input, ctx) => {
      const text = typeof input === 'string' && literal ? input : readReference(input, env)
      if (text === '') ctx.addIssue('is empty')
      else if (typeof text === 'string') return text
      else ctx.addIssue(input === undefined ? 'is required' : text.fault)
      return z.NEVER
    })
    // A transform has no JSON Schema of its own.
    .meta(literal ? { anyOf: [{ type: 'string', minLength: 1 }, referenceShape] } : referenceShape)

export const secret = (env: Environment) => referencedText({ env, literal: false }).transform(secretOf)

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
/**
 * A message shows a name in this spelling alone. A secret that was written in its place, such as `whsec_…` or one in base
 * 32, has lower case or no underscore.
 */
const SHOWN_NAME = /^[A-Z][A-Z0-9]{0,31}(?:_[A-Z0-9]{1,31}){1,7}$/

const reference = z.strictObject({ env: z.string().regex(NAME) })

/** The JSON Schema of a reference. */
const referenceShape = {
  type: 'object',
  properties: { env: { type: 'string', pattern: NAME.source } },
  required: ['env'],
  additionalProperties: false,
}

/** Resolves `{env: NAME}` to its text, or to the reason why it cannot. */
export function readReference(input: unknown, env: Environment): string | { fault: string } {
  const parsed = reference.safeParse(input)
  if (!parsed.success) return { fault: 'must be a reference to the environment, {env: NAME}' }
  const name = parsed.data.env
  const value = env[name]
  if (value !== undefined) return value
  const file = env[`${name}_FILE`]
  const shown = SHOWN_NAME.test(name) ? name : null
  if (file === undefined) {
    if (shown !== null) return { fault: `${shown} is not set, and neither is ${shown}_FILE` }
    return { fault: 'names a variable that is not set, and neither is the one with _FILE after its name' }
  }
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch {
    return {
      fault:
        shown === null
          ? 'names a variable whose _FILE cannot be read'
          : `the file of ${shown}_FILE cannot be read`,
    }
  }
}
