import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

export interface UnitFile {
  readonly name: string
  readonly text: string
  /** The values of each setting, in their order. */
  readonly valuesOf: (setting: string) => readonly string[]
}

const folder = fileURLToPath(new URL('../systemd/', import.meta.url))

export const unitNames = (await readdir(folder)).toSorted()
export const serviceNames = unitNames.filter((name) => name.endsWith('.service'))
export const timerNames = unitNames.filter((name) => name.endsWith('.timer'))

export async function readUnit(name: string): Promise<UnitFile> {
  const text = await readFile(`${folder}${name}`, 'utf8')
  const pairs = text.split('\n').flatMap((line) => {
    const [, setting, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? []
    return setting === undefined ? [] : [{ setting, value }]
  })
  const valuesOf = (wanted: string) =>
    pairs.filter(({ setting }) => setting === wanted).map(({ value }) => value)
  return { name, text, valuesOf }
}
