import { readFileSync } from 'node:fs'

const read = (name: string): string =>
  readFileSync(new URL(`../../openapi/${name}.json`, import.meta.url), 'utf8')

/** The documents as `pnpm openapi` last wrote them. The api serves these, so it does not load the generator. */
export const documents = { v1: read('v1'), browser: read('browser'), dash: read('dash') } as const
