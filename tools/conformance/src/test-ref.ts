/** A test or a describe, by its file and a part of its title as the file has it: `%s` and `$name` stay as they are. */
export interface TestRef {
  readonly file: string
  readonly name: string
}

const inFolder =
  (folder: string) =>
  (file: string, name: string): TestRef => ({ file: `${folder}/${file}.test.ts`, name })

export const api = inFolder('apps/api/test')
export const apiUnit = inFolder('apps/api/src')
export const worker = inFolder('apps/worker/test')
export const workerUnit = inFolder('apps/worker/src')
export const core = inFolder('packages/core/test')
export const db = inFolder('packages/db/test')
export const configTest = inFolder('packages/config/test')
export const verifier = inFolder('packages/webhook-verifier/src')
export const sdkUnit = inFolder('packages/node-sdk/src')
export const e2e = inFolder('e2e/test')
export const deploy = inFolder('deploy/test')
export const reconcileRails = inFolder('tools/reconcile-rails/test')
