import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'
import { inMemory } from './memory.ts'
import { renderPage, renderSignOut } from './page.ts'
import { type Person, people as everybody } from './people.ts'

interface IdentityProviderOptions {
  readonly port?: number
  readonly clientId: string
  /** The client's secret, or the public part of its key (private_key_jwt). */
  readonly clientSecret: string | JWK
  readonly origin: string
  /** The URI for logout tokens, if it is not below the origin. */
  readonly logoutUri?: string
  readonly people?: readonly Person[]
}

/** An OpenID provider whose people sign in with one click. */
export interface IdentityProvider {
  readonly issuer: string
  /** Signs claims that a test makes up, as the provider signs its logout tokens. */
  readonly sign: (claims: JWTPayload, header?: { readonly typ?: string }) => Promise<string>
  readonly stop: () => Promise<void>
}

const FORM_BYTES_MAX = 1_024
/** The `acr` of every sign-in here. */
export const STRONG_ACR = 'urn:merchant-payments:dev'
const TTL_SEC = 3_600

export async function startIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  const server = createServer()
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const people = options.people ?? everybody
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(privateKey)), kid: 'provider', alg: 'RS256', use: 'sig' }
  const provider = createProvider(issuer, jwk, options, people)
  const callback = provider.callback()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith('/interaction/') !== true) return void callback(request, response)
    signIn(provider, people, request, response).catch(() => response.writeHead(400).end())
  })
  return {
    issuer,
    sign: (claims, header = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: jwk.kid, ...header }).sign(privateKey),
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Removes the library's own dispatcher, which refuses calls to this machine, where the service runs. */
const withoutDispatcher = (options: RequestInit = {}): RequestInit =>
  Object.fromEntries(Object.entries(options).filter(([name]) => name !== 'dispatcher'))

/** The client's authentication method follows from the kind of its secret. */
const authOf = (secret: string | JWK) =>
  typeof secret === 'string'
    ? { client_secret: secret }
    : { token_endpoint_auth_method: 'private_key_jwt' as const, jwks: { keys: [secret] } }

function createProvider(
  issuer: string,
  jwk: JWK,
  { clientId, clientSecret, origin, logoutUri }: IdentityProviderOptions,
  people: readonly Person[],
): Provider {
  return new Provider(issuer, {
    adapter: inMemory(),
    ttl: {
      AccessToken: TTL_SEC,
      AuthorizationCode: 60,
      Grant: TTL_SEC,
      IdToken: TTL_SEC,
      Interaction: TTL_SEC,
      Session: TTL_SEC,
    },
    jwks: { keys: [jwk] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    clients: [
      {
        client_id: clientId,
        ...authOf(clientSecret),
        redirect_uris: [`${origin}/dash/v1/callback`],
        post_logout_redirect_uris: [`${origin}/dash/`],
        backchannel_logout_uri: logoutUri ?? `${origin}/dash/v1/backchannel_logout`,
        // Adds `sid` to the ID tokens too.
        backchannel_logout_session_required: true,
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    acrValues: [STRONG_ACR],
    pkce: { required: () => true },
    claims: { openid: ['sub'], profile: ['name', 'roles'] },
    // Puts the claims into the ID token, where the service reads them.
    conformIdTokenClaims: false,
    fetch: (url, options) => fetch(url, withoutDispatcher(options)),
    features: {
      backchannelLogout: { enabled: true },
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        logoutSource: (context, form) => {
          context.body = renderSignOut(form)
        },
      },
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => {
      const person = people.find(({ login }) => login === id)
      if (person === undefined) return undefined
      const { name, roles } = person
      return { accountId: id, claims: () => ({ sub: id, name, roles: [...roles] }) }
    },
    // Skips the consent page, since the client is our own service.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      })
      grant.addOIDCScope('openid profile')
      await grant.save()
      return grant
    },
  })
}

async function signIn(
  provider: Provider,
  people: readonly Person[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    await provider.interactionDetails(request, response)
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(renderPage(people))
    return
  }
  const accountId = new URLSearchParams(await readForm(request)).get('login') ?? ''
  await provider.interactionFinished(request, response, { login: { accountId, acr: STRONG_ACR } })
}

async function readForm(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) {
    text += String(chunk)
    if (text.length > FORM_BYTES_MAX) throw new Error('the form is too large')
  }
  return text
}
