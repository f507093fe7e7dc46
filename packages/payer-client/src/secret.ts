/** A client secret names its own object. */
export interface Secret {
  readonly kind: 'pi' | 'cs'
  readonly id: string
  /** Set if the secret is a session's. */
  readonly publishableKey: string | undefined
}

const shape = /^((pi|cs)_[0-9a-f]{32})_secret_[\w-]+(?:\.(pk_\w+))?$/

/**
 * Refuses anything but a client secret, above all a merchant's token or key (spec 4.6). Error messages never
 * contain it.
 */
export function readSecret(clientSecret: string): Secret {
  const [, id, kind, publishableKey] = shape.exec(clientSecret) ?? []
  if (id === undefined) throw new TypeError('clientSecret must be the one of a payment intent or a session')
  return { kind: kind === 'cs' ? 'cs' : 'pi', id, publishableKey }
}
