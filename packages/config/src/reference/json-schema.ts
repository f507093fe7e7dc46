import { z } from 'zod'
import { deployment } from '../deployment.ts'
import { railShapes } from '../rail.ts'

/** The keywords of JSON Schema that the schema of the configuration uses, and those of `setting`. */
export interface SettingSchema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, SettingSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | SettingSchema
  readonly items?: SettingSchema
  readonly prefixItems?: readonly SettingSchema[]
  readonly anyOf?: readonly SettingSchema[]
  readonly oneOf?: readonly SettingSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly unit?: string
  readonly section?: string
  readonly absent?: string
}

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>

/** The schema of what a file holds, before references are resolved and defaults are filled in. */
const schemaOf = (override: Override) =>
  z.toJSONSchema(deployment({ env: {} }, railShapes), { io: 'input', unrepresentable: 'any', override })

export const settingSchema = (): SettingSchema => schemaOf(() => undefined) as SettingSchema

/** The JSON Schema of the configuration, for editors and other tools. */
export const configSchema = (): object => ({
  ...schemaOf(({ jsonSchema }) => moveToText(jsonSchema)),
  title: 'The configuration of a Merchant Payments deployment',
})

/** Editors show descriptions alone. */
function moveToText(schema: Record<string, unknown>): void {
  const { description, unit, section, absent } = schema as SettingSchema
  for (const keyword of ['unit', 'section', 'absent']) delete schema[keyword]
  const parts = [
    description,
    unit === undefined ? '' : `In ${unit}.`,
    absent === undefined ? '' : `Default: ${absent}.`,
    section === undefined ? '' : `Specification, section ${section}.`,
  ]
  const text = parts.filter(Boolean).join(' ')
  if (text !== '') schema['description'] = text
}
