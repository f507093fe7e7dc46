import { readFileSync } from 'node:fs'

const read = (name: string): string =>
  readFileSync(new URL(`../../openapi/${name}.json`, import.meta.url), 'utf8')

/** The text of each document as `pnpm openapi` wrote it last: what the api serves, without the library that makes it. */
export const documents = { v1: read('v1'), browser: read('browser'), dash: read('dash') } as const
