import type { Environment } from './secret.ts'

export interface Context {
  readonly env: Environment
}
