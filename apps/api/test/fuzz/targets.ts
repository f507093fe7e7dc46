import { methodsOf, type Operation } from '@merchant-payments/contract'
import type { Random } from '@merchant-payments/testing/random'
import { PUSH_RAIL } from '../harness.ts'
import { browserOperations, operations } from '../v1/operations.ts'
import { parametersOf } from './parameters.ts'

/** A route for the fuzzer: its declaration, and nothing of its implementation. */
export interface Target {
  readonly name: string
  readonly methods: readonly string[]
  readonly path: string
  /** The kind of the id in its path. */
  readonly prefix: string
  readonly query: readonly string[]
  readonly body: readonly string[]
}

/** The credentials and objects of a request. */
export interface Caller {
  readonly merchant: string
  readonly token: string
  /** Tokens with the reading scope, without a scope, and for another audience. */
  readonly weakTokens: readonly string[]
  readonly idOf: (random: Random, prefix: string) => string
  readonly secretOf: (random: Random) => string
  readonly keyOf: (random: Random) => string
}

const declared = (operation: Operation): Target => ({
  name: operation.id,
  methods: methodsOf(operation),
  path: operation.path,
  prefix: prefixOf(operation) ?? '',
  query: parametersOf(operation.query),
  body: parametersOf(operation.body),
})

/** The kind of id in the path of an operation. */
export const prefixOf = ({ params }: Operation): string | undefined => {
  const { shape } = (params?.def ?? {}) as {
    shape?: { id?: { meta: () => { prefix?: string } | undefined } }
  }
  return shape?.id?.meta()?.prefix
}

const undeclared = (
  name: string,
  methods: readonly string[],
  path: string,
  body: readonly string[] = [],
) => ({
  name,
  methods,
  path,
  prefix: '',
  query: [],
  body,
})

const tokenFields = [
  'grant_type',
  'client_id',
  'client_assertion_type',
  'client_assertion',
  'audience',
  'scope',
]

export const FILE = '/c/assets/main-1a2b3c.js'

/** Every route of the service, and some unknown paths. */
export const targets: readonly Target[] = [
  ...[...operations, ...browserOperations].map(declared),
  undeclared('health', ['GET'], '/healthz'),
  undeclared('token', ['POST'], '/v1/oauth/token', tokenFields),
  undeclared('discovery', ['GET'], '/v1/oauth/.well-known/openid-configuration'),
  undeclared('keys', ['GET'], '/v1/oauth/jwks.json'),
  undeclared('callback', ['POST', 'PUT'], `/provider/${PUSH_RAIL}/callback`, [
    'externalId',
    'financialTransactionId',
    'status',
  ]),
  undeclared('callback of any rail', ['POST', 'PUT'], '/provider/{code}/callback', ['externalId']),
  undeclared('page', ['GET'], '/c/{id}'),
  undeclared('file of a page', ['GET'], FILE),
  undeclared('no route', ['GET', 'POST'], '/v1/{word}'),
  undeclared('no surface', ['GET', 'POST'], '/{word}'),
]
