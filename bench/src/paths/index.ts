import { measureCounter } from './counter.ts'
import { measureCreate } from './create.ts'
import { measureLatency } from './latency.ts'
import { measureNeighbours } from './neighbours.ts'
import { measurePayments } from './payments.ts'
import { measureRead } from './read.ts'
import { measureResources } from './resources.ts'
import { measureSdk } from './sdk.ts'
import { measureToken } from './token.ts'
import { measureVerifier } from './verifier.ts'

export const measuredPaths = {
  create: measureCreate,
  read: measureRead,
  resources: measureResources,
  counter: measureCounter,
  token: measureToken,
  payments: measurePayments,
  latency: measureLatency,
  neighbours: measureNeighbours,
  verifier: measureVerifier,
  sdk: measureSdk,
}

export type PathName = keyof typeof measuredPaths
