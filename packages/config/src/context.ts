import type { Environment } from './secret.ts'

/** What a field must know beyond itself. */
export interface Context {
  readonly env: Environment
}
