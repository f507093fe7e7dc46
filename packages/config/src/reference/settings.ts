import { liveRules } from '../livemode.ts'
import { type SettingSchema, settingSchema } from './json-schema.ts'

/** A setting of the configuration, in the words of docs/configuration.md. */
export interface Setting {
  /** `merchant_clients[].webhooks[].url`; a rail's code is `<code>`. */
  readonly key: string
  /** The adapter that has the setting, if it is one of a rail. */
  readonly adapter: string | null
  readonly description: string
  readonly type: string
  readonly isRequired: boolean
  /** Null for a required setting, and for a group whose settings have their own defaults. */
  readonly default: string | null
  /** The section of the specification. */
  readonly section: string | null
  /** What livemode refuses of its values. */
  readonly liveRefusals: readonly string[]
}

interface Place {
  readonly key: string
  readonly adapter: string | null
}

/** Every setting, in the order of the schema; a group comes before its settings. */
export const listSettings = (): Setting[] => inside(settingSchema(), { key: '', adapter: null })

/** The settings of this key. Indexes and a rail's code may be given or left out: `rails.mtn_momo_cm.base_url`. */
export function findSettings(key: string): Setting[] {
  const wanted = key.replaceAll(/\[\d*\]/g, '')
  return listSettings().filter((setting) => {
    const plain = setting.key.replaceAll('[]', '')
    return plain === wanted || plain === wanted.replace(/^rails\.[^.]+/, 'rails.<code>')
  })
}

/** The settings within a group, a list of groups or a map of rails. */
function inside(schema: SettingSchema, { key, adapter }: Place): Setting[] {
  if (isReference(schema)) return []
  const prefix = key === '' ? '' : `${key}.`
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, one]) => {
    const place = { key: prefix + name, adapter }
    const isRequired = schema.required?.includes(name) === true
    return [settingOf(one, place, isRequired), ...inside(one, place)]
  })
  const elements = schema.items === undefined ? [] : inside(schema.items, { key: `${key}[]`, adapter })
  const parts = (schema.anyOf ?? []).flatMap((part) => inside(part, { key, adapter }))
  const entries = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {}
  const rails = (entries.oneOf ?? []).flatMap((rail) =>
    inside(rail, { key: `${prefix}<code>`, adapter: String(rail.properties?.['adapter']?.const) }),
  )
  return [...own, ...elements, ...parts, ...rails]
}

const settingOf = (schema: SettingSchema, { key, adapter }: Place, isRequired: boolean): Setting => ({
  key,
  adapter,
  description: schema.description ?? '',
  type: typeOf(schema),
  isRequired,
  default: isRequired ? null : defaultOf(schema),
  section: schema.section ?? null,
  liveRefusals: liveRules
    .filter(({ at }) => at === ruleOf(key) || at === `${ruleOf(key)}.*`)
    .map(({ refuses }) => refuses),
})

/** Spells a path as the rules in livemode.ts do. */
const ruleOf = (key: string): string => key.replaceAll('[]', '.*').replaceAll('<code>', '*')

function defaultOf({ default: value, absent }: SettingSchema): string | null {
  if (absent !== undefined) return absent
  if (value === undefined) return 'none'
  const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isGroup ? null : quoted(value)
}

const quoted = (value: unknown): string => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

function typeOf(schema: SettingSchema): string {
  if (isReference(schema)) return '`{ env: NAME }`'
  if (schema.const !== undefined) return quoted(schema.const)
  if (schema.enum !== undefined) return eitherOf(schema.enum.map(quoted))
  const parts = schema.anyOf ?? schema.oneOf
  if (parts !== undefined) return eitherOf(parts.map(typeOf))
  if (typeof schema.type === 'object') return eitherOf(schema.type.map((type) => typeOf({ type })))
  const { type = 'object' } = schema
  switch (type) {
    case 'string':
      return 'text'
    case 'boolean':
      return '`true` or `false`'
    case 'null':
      return '`null`'
    case 'array':
      return `list of ${typeOf(schema.prefixItems?.[0] ?? schema.items ?? {})}`
    case 'object':
      return typeof schema.additionalProperties === 'object' ? 'map' : 'group'
    default:
      return [schema.type, boundsOf(schema), schema.unit].filter(Boolean).join(' ')
  }
}

/** A bound of JavaScript's own is none of the setting. */
function boundsOf({ minimum, maximum }: SettingSchema): string {
  if (minimum === undefined) return ''
  return maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
    ? `from ${minimum}`
    : `from ${minimum} to ${maximum}`
}

const eitherOf = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

/** `{ env: NAME }` is a value, and not a group. */
const isReference = ({ properties, required }: SettingSchema): boolean =>
  properties !== undefined && Object.keys(properties).join() === 'env' && required?.join() === 'env'
