/** Whose secret it is, which it says itself. */
export interface Secret {
  readonly kind: 'pi' | 'cs'
  readonly id: string
  /** A session's secret carries it. */
  readonly publishableKey: string | undefined
}

const shape = /^((pi|cs)_[0-9a-f]{32})_secret_[\w-]+(?:\.(pk_\w+))?$/

/** Refuses whatever is no client secret, a merchant's token or key above all (spec 4.6). A message never repeats it. */
export function readSecret(clientSecret: string): Secret {
  const [, id, kind, publishableKey] = shape.exec(clientSecret) ?? []
  if (id === undefined) throw new TypeError('clientSecret must be the one of a payment intent or a session')
  return { kind: kind === 'cs' ? 'cs' : 'pi', id, publishableKey }
}
