/** RFC 6749 5.2, RFC 8707 for an audience that is refused, and the 503 of RFC 6749 4.1.2.1. */
export type TokenErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'temporarily_unavailable'

export interface TokenErrorFacts {
  readonly reason?: string | null
  /** Of a registered client only: any other is whatever a stranger typed. */
  readonly client_id?: string
}

/** A refusal of the token endpoint (spec 7.3). Its description never repeats what was sent. */
export class TokenError extends Error {
  override readonly name = 'TokenError'
  readonly code: TokenErrorCode
  /** What the response does not say (spec 5.7), for the log. */
  readonly facts: TokenErrorFacts

  constructor(code: TokenErrorCode, description: string, facts: TokenErrorFacts = {}) {
    super(description)
    this.code = code
    this.facts = facts
  }

  /** Spec 7.3; a database that is away is no error of the request, and may be tried again. */
  get status(): 400 | 401 | 503 {
    if (this.shouldRetry) return 503
    return this.code === 'invalid_client' ? 401 : 400
  }

  get shouldRetry(): boolean {
    return this.code === 'temporarily_unavailable'
  }

  toBody(): { error: TokenErrorCode; error_description: string } {
    return { error: this.code, error_description: this.message }
  }
}
