import { listPublishableKeys } from '@merchant-payments/core'
import type { FastifyInstance } from 'fastify'
import { discoveryDocument } from './discovery.ts'
import { openPaths } from '../http/paths.ts'
import { type MountedOauth, type OauthDeps, tokenRoute } from './token.ts'

export type { OauthDeps }

export const oauthRoutes = [
  { method: 'POST', path: '/v1/oauth/token' },
  { method: 'GET', path: '/v1/oauth/.well-known/openid-configuration' },
  { method: 'GET', path: '/v1/oauth/jwks.json' },
] as const

const JWKS_CACHE_CONTROL = 'public, max-age=300'

/** Mounts the OAuth provider. Its routes receive bodies as raw Buffers. */
export function registerOauth(app: FastifyInstance, deps: MountedOauth): void {
  const [token, discovery, jwks] = oauthRoutes
  const document = discoveryDocument(deps.publicBaseUrl)
  openPaths(app, '', (scope) => {
    scope.post(token.path, tokenRoute(deps))
    scope.get(discovery.path, () => document)
    scope.get(jwks.path, (_request, reply) =>
      deps.surfaces.admit('oauth', jwks.path, reply, async () => {
        const keys = await listPublishableKeys(deps.db.reader, deps.clock())
        // Not before the keys are read: a cache would keep an error for as long.
        reply.header('cache-control', JWKS_CACHE_CONTROL)
        return { keys: keys.map(({ jwk }) => jwk) }
      }),
    )
  })
}
