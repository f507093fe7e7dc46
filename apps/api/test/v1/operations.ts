import * as contract from '@merchant-payments/contract'
import type { Operation } from '@merchant-payments/contract'
import type { TestCall } from '../harness.ts'

const operationsOf = (surface: Operation['surface']): readonly Operation[] =>
  Object.values<unknown>(contract)
    .filter(contract.isOperation)
    .filter((operation) => operation.surface === surface)

/** Every operation of /v1 that the contract declares. */
export const operations = operationsOf('v1')

/** Every operation of /v1/browser. */
export const browserOperations = operationsOf('browser')

/** Every operation of /dash/v1. */
export const dashOperations = operationsOf('dash')

/** A well-formed call of each, with unknown ids. */
export const operationCalls: readonly [string, TestCall & { method: Operation['method'] }][] =
  operations.flatMap((operation) =>
    contract.methodsOf(operation).map((method): [string, TestCall & { method: Operation['method'] }] => {
      const { path } = operation
      return [`${method} ${path}`, { method, path: path.replace('{id}', 'x') }]
    }),
  )
