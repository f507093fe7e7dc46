import type { TestRef } from '../test-ref.ts'

/** What somebody could do to an asset, what holds it, and the tests that would fail if nothing did. */
export interface Threat {
  readonly actor: string
  readonly threat: string
  readonly heldBy: string
  readonly tests: readonly TestRef[]
}

export interface Asset {
  readonly title: string
  readonly threats: readonly Threat[]
}

export const threat = (actor: string, what: string, heldBy: string, ...tests: TestRef[]): Threat => ({
  actor,
  threat: what,
  heldBy,
  tests,
})
