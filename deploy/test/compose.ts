import { readFile } from 'node:fs/promises'
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml'

export interface Service {
  readonly image?: string
  readonly build?: { readonly context: string; readonly dockerfile?: string }
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly (string | { readonly source: string; readonly target: string })[]
  readonly volumes?: readonly string[]
  readonly networks?: unknown
}

export interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
  /** The names of the variables that it reads. */
  readonly variables: readonly string[]
}

const file = new URL('../compose.yaml', import.meta.url)

/** deploy/compose.yaml with the defaults of its variables. Each variable has one. */
export async function readCompose(): Promise<Compose> {
  const text = await readFile(file, 'utf8')
  const variables = [...text.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name)
  const filled = text.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
  if (filled.includes('${')) throw new Error('a variable of compose.yaml has no default')
  return {
    ...(load(filled, { schema: CORE_SCHEMA.withTags(mergeTag) }) as Omit<Compose, 'variables'>),
    variables: [...new Set(variables)],
  }
}
