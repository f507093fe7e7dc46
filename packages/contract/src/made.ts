import { documents } from './openapi/documents.ts'

const json = (document: object): string => `${JSON.stringify(document, null, 2)}\n`

/** Every file that is made from the declarations, by its path in the repository. */
export const madeFiles: Readonly<Record<string, () => string>> = {
  'packages/contract/openapi/v1.json': () => json(documents.v1()),
  'packages/contract/openapi/browser.json': () => json(documents.browser()),
  'packages/contract/openapi/dash.json': () => json(documents.dash()),
}

export const made = (path: string): URL => new URL(`../../../${path}`, import.meta.url)
