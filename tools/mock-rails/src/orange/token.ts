import type { Rails } from '../rails.ts'
import { headerOf } from '../wire/mount.ts'
import type { Handle } from '../wire/mount.ts'
import { tokenError } from './answers.ts'

const WRONG_CLIENT = 'The requested service needs credentials, but the ones provided were invalid.'

export function handleToken(rails: Rails): Handle {
  return (request) => {
    const { credentials } = rails.orange
    if (!credentials.isClient(headerOf(request.headers, 'authorization'))) {
      return tokenError(401, 'invalid_client', WRONG_CLIENT)
    }
    if (!headerOf(request.headers, 'content-type')?.startsWith('application/x-www-form-urlencoded')) {
      return tokenError(400, 'invalid_request', 'The body must be application/x-www-form-urlencoded.')
    }
    const grant = new URLSearchParams(request.body).get('grant_type')
    if (grant === null) return tokenError(400, 'invalid_request', 'The grant_type is missing.')
    if (grant !== 'client_credentials') {
      return tokenError(400, 'unsupported_grant_type', 'The grant_type must be client_credentials.')
    }
    // Orange sends the lifetime as a string, unlike RFC 6749.
    const lifetime = `${rails.settings.orange().tokenTtlSec}`
    return {
      status: 200,
      body: { token_type: 'Bearer', access_token: credentials.issueToken(), expires_in: lifetime },
    }
  }
}
