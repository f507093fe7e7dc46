import * as contract from '@merchant-payments/contract'
import { errorsOf, isOperation, methodsOf } from '@merchant-payments/contract'
import type { FastifyInstance } from 'fastify'

const declared: ReadonlyMap<string, { readonly id: string; readonly codes: ReadonlySet<string> }> = new Map(
  Object.values<unknown>(contract)
    .filter(isOperation)
    .flatMap((operation) =>
      methodsOf(operation).map((method) => {
        const codes = new Set<string>(errorsOf(operation))
        return [
          `${method} ${operation.path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
          { id: operation.id, codes },
        ] as const
      }),
    ),
)

/** Records errors that the service answers although the operation's declaration does not list them. */
export function watchErrors(app: FastifyInstance, undeclared: Set<string>): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const operation = declared.get(`${method} ${request.routeOptions.url ?? ''}`)
    const isJson = String(reply.getHeader('content-type')).startsWith('application/json')
    if (operation !== undefined && isJson && reply.statusCode >= 400) {
      const { error } = JSON.parse(String(payload)) as { error: { code: string } }
      // `/{collection}/search` is no route, and only the handler of `/{id}` can tell (docs/spec-gaps.md).
      if (error.code === 'unknown_route') return done(null, payload)
      if (!operation.codes.has(error.code)) undeclared.add(`${operation.id}: ${error.code}`)
    }
    done(null, payload)
  })
}
