/** A test or a describe, by its file and a part of its title as the file has it: `%s` and `$name` stay as they are. */
export interface TestRef {
  readonly file: string
  readonly name: string
}

/** A sentence of the specification that a test can hold, in its own words, perhaps shortened. */
export interface Sentence {
  readonly section: string
  readonly says: string
  readonly tests: readonly TestRef[]
  /** Why no test holds it. */
  readonly lacks?: string
  /** The resource without which nothing can hold it: from the day the contract has it, the tests must be there. */
  readonly awaits?: string
}

export interface Chapter {
  readonly title: string
  readonly sentences: readonly Sentence[]
}

export const holds = (section: string, says: string, ...tests: TestRef[]): Sentence => ({
  section,
  says,
  tests,
})

export const lacks = (section: string, says: string, why: string): Sentence => ({
  section,
  says,
  tests: [],
  lacks: why,
})

export const awaits = (resource: string, section: string, says: string, ...tests: TestRef[]): Sentence => ({
  section,
  says,
  tests,
  awaits: resource,
})

const inFolder =
  (folder: string, ending = '.test.ts') =>
  (file: string, name: string) => ({
    file: `${folder}/${file}${ending}`,
    name,
  })

export const api = inFolder('apps/api/test')
export const apiUnit = inFolder('apps/api/src')
export const worker = inFolder('apps/worker/test')
export const workerUnit = inFolder('apps/worker/src')
export const core = inFolder('packages/core/test')
export const coreUnit = inFolder('packages/core/src')
export const db = inFolder('packages/db/test')
export const contract = inFolder('packages/contract/src')
export const config = inFolder('packages/config/src')
export const configTest = inFolder('packages/config/test')
export const verifier = inFolder('packages/webhook-verifier/src')
export const payer = inFolder('packages/payer-client/src')
export const sdk = inFolder('packages/node-sdk/test')
export const sdkUnit = inFolder('packages/node-sdk/src')
export const e2e = inFolder('e2e/test')
