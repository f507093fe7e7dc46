import { readFile } from 'node:fs/promises'
import * as contract from '@merchant-payments/contract'
import type { Sentence, TestRef } from './sentence.ts'
import { titlesIn } from './titles.ts'

const root = new URL('../../../', import.meta.url)

/** `checkout` of `checkout.sessions.create`. */
const resources = new Set(
  Object.values<unknown>(contract).flatMap((value) =>
    typeof value === 'object' && value !== null && 'surface' in value && 'id' in value
      ? [String(value.id).split('.')[0]]
      : [],
  ),
)

/** Nothing can hold it yet: what it speaks of is not built. */
export const isAwaiting = ({ awaits }: Sentence): boolean => awaits !== undefined && !resources.has(awaits)

/** What is wrong with the references of these sentences, a line each. */
export async function findFaults(sentences: readonly Sentence[]): Promise<string[]> {
  const faults = await Promise.all(sentences.map(faultsOf))
  return faults.flat()
}

async function faultsOf(sentence: Sentence): Promise<string[]> {
  const { section, says, tests, lacks } = sentence
  if (isAwaiting(sentence) || lacks !== undefined) return []
  if (tests.length === 0) return [`${section} "${says}" has no test`]
  const found = await Promise.all(tests.map(exists))
  return tests
    .filter((_, n) => found[n] !== true)
    .map(({ file, name }) => `${section} "${says}" names a test that is not there: ${file}: ${name}`)
}

const names = new Map<string, Promise<readonly string[]>>()

async function exists({ file, name }: TestRef): Promise<boolean> {
  const known = names.get(file) ?? namesIn(file)
  names.set(file, known)
  return (await known).some((text) => text.includes(name))
}

async function namesIn(file: string): Promise<readonly string[]> {
  return titlesIn(await readFile(new URL(file, root), 'utf8').catch(() => ''))
}
