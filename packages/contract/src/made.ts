import { collection } from './openapi/collection.ts'
import { documents } from './openapi/documents.ts'
import { errorsPage } from './pages/errors.ts'
import { publishedDocument } from './published-text.ts'
import { nodeSdkCalls, nodeSdkTypes } from './types/node-sdk.ts'
import { payerClientTypes } from './types/payer-client.ts'
import { webhookVerifierTypes } from './types/webhook-verifier.ts'

const json = (document: object): string => `${JSON.stringify(document, null, 2)}\n`

/** Every file that is generated from the declarations, by its path in the repository. */
export const madeFiles: Readonly<Record<string, () => string>> = {
  'packages/contract/openapi/v1.json': () => json(documents.v1()),
  'packages/contract/openapi/browser.json': () => json(documents.browser()),
  'packages/contract/openapi/dash.json': () => json(documents.dash()),
  'packages/contract/openapi/v1.postman_collection.json': () => json(publishedDocument(collection())),
  'packages/node-sdk/src/wire.ts': nodeSdkTypes,
  'packages/node-sdk/src/calls.ts': nodeSdkCalls,
  'packages/webhook-verifier/src/wire.ts': webhookVerifierTypes,
  'packages/payer-client/src/wire.ts': payerClientTypes,
  'docs/errors.md': errorsPage,
}

export const made = (path: string): URL => new URL(`../../../${path}`, import.meta.url)
