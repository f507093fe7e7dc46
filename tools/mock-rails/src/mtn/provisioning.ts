import { z } from 'zod'
import type { Rails } from '../rails.ts'
import { headerOf } from '../wire/mount.ts'
import type { Handle } from '../wire/mount.ts'
import { parseJson } from '../wire/parse-json.ts'
import { parseReference, subscriptionRefusal } from './access.ts'
import { badRequest, loginFailed, walletError } from './answers.ts'
import type { Product } from './credentials.ts'

const apiUserBody = z.object({ providerCallbackHost: z.string().min(1).max(255) })

export function handleCreateUser(rails: Rails): Handle {
  return (request) => {
    const refusal = subscriptionRefusal(request, rails, 'collection', 'disbursement')
    if (refusal !== undefined) return refusal
    const id = parseReference(headerOf(request.headers, 'x-reference-id'))
    if ('refusal' in id) return id.refusal
    const body = apiUserBody.safeParse(parseJson(request.body))
    if (!body.success) return badRequest('providerCallbackHost is missing')
    if (rails.mtn.credentials.findUser(id.ok) !== undefined) return walletError('RESOURCE_ALREADY_EXIST')
    rails.mtn.credentials.addUser(id.ok, body.data.providerCallbackHost)
    return { status: 201 }
  }
}

/** The key is shown once; another request makes a new one. */
export function handleCreateKey(rails: Rails): Handle {
  return (request) => {
    const refusal = subscriptionRefusal(request, rails, 'collection', 'disbursement')
    if (refusal !== undefined) return refusal
    const user = rails.mtn.credentials.findUser((request.params['reference'] ?? '').toLowerCase())
    if (user === undefined) return walletError('RESOURCE_NOT_FOUND')
    return { status: 201, body: { apiKey: rails.mtn.credentials.rotateKey(user) } }
  }
}

export function handleGetUser(rails: Rails): Handle {
  return (request) => {
    const refusal = subscriptionRefusal(request, rails, 'collection', 'disbursement')
    if (refusal !== undefined) return refusal
    const user = rails.mtn.credentials.findUser((request.params['reference'] ?? '').toLowerCase())
    if (user === undefined) return walletError('RESOURCE_NOT_FOUND')
    const { targetEnvironment } = rails.settings.mtn()
    return { status: 200, body: { providerCallbackHost: user.callbackHost, targetEnvironment } }
  }
}

export function handleToken(rails: Rails, product: Product): Handle {
  return (request) => {
    const refusal = subscriptionRefusal(request, rails, product)
    if (refusal !== undefined) return refusal
    const { strictTokenBody, tokenTtlSec } = rails.settings.mtn()
    if (strictTokenBody && request.body !== '') return badRequest('the token endpoint takes no body')
    const user = rails.mtn.credentials.login(headerOf(request.headers, 'authorization'))
    if (user === undefined) return loginFailed
    const token = rails.mtn.credentials.issueToken(user, product)
    // MTN returns "access_token" where RFC 6749 has "Bearer", but expects "Bearer" in the header.
    return {
      status: 200,
      body: { access_token: token, token_type: 'access_token', expires_in: tokenTtlSec },
    }
  }
}
