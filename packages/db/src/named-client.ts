import type pg from 'pg'
import { BoundedClient } from './bounded-client.ts'

/** Distinct statement texts that get a name. Later texts run unnamed, so the server's memory stays bounded. */
const NAMES_MAX = 512

const names = new Map<string, string>()

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined) return known
  if (names.size >= NAMES_MAX) return undefined
  const name = `mp_${names.size}`
  names.set(text, name)
  return name
}

/**
 * Prepares each statement once per connection. Kysely never names its statements, and PostgreSQL parses and
 * plans an unnamed one on every call, which costs a third of a short query.
 */
export class NamedClient extends BoundedClient {
  // oxlint-disable-next-line typescript/no-explicit-any
  override query(...args: any[]): any {
    const [text, values] = args as unknown[]
    if (args.length === 2 && typeof text === 'string' && Array.isArray(values)) {
      const name = nameOf(text)
      if (name !== undefined) return super.query({ name, text, values })
    }
    return super.query(...(args as Parameters<pg.Client['query']>))
  }
}
