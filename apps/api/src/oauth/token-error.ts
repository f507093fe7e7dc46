/** Codes of RFC 6749 5.2; RFC 8707 for a refused audience; RFC 6749 4.1.2.1 for the 503. */
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
  /** Set only for a registered client. An unknown id could be any text. */
  readonly client_id?: string
}

/** A refusal of the token endpoint (spec 7.3). Its description never quotes the request. */
export class TokenError extends Error {
  override readonly name = 'TokenError'
  readonly code: TokenErrorCode
  /** Facts for the log that the response does not contain (spec 5.7). */
  readonly facts: TokenErrorFacts

  constructor(code: TokenErrorCode, description: string, facts: TokenErrorFacts = {}) {
    super(description)
    this.code = code
    this.facts = facts
  }

  /** Spec 7.3. An unavailable database is a 503, which may be retried. */
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
