import { configSchema } from './json-schema.ts'
import { configurationPage } from './page.ts'

/** The files that are generated from the schema, by their path in the repository. */
export const configurationFiles: Readonly<Record<string, () => string>> = {
  'docs/configuration.md': configurationPage,
  'docs/configuration.schema.json': () => `${JSON.stringify(configSchema(), null, 2)}\n`,
}

export const inRepository = (path: string): URL => new URL(`../../../../${path}`, import.meta.url)
