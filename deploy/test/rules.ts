import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { load } from 'js-yaml'

export interface Rule {
  readonly record?: string
  readonly alert?: string
  readonly expr: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

export const rulesFolder = fileURLToPath(new URL('../prometheus/', import.meta.url))

/** The installation of a Debian package takes longer than a test may. */
export const INSTALL_MS = 300_000

export async function readRules(): Promise<readonly Rule[]> {
  const { groups } = load(await readFile(`${rulesFolder}rules.yaml`, 'utf8')) as {
    readonly groups: readonly { readonly rules: readonly Rule[] }[]
  }
  return groups.flatMap(({ rules }) => rules)
}
