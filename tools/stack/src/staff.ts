import { randomBytes } from 'node:crypto'
import type { Closers } from './closers.ts'
import type { StaffClient } from './config-file.ts'
import type { StackOptions } from './options.ts'
import type { Ports } from './ports.ts'

const CLIENT_ID = 'payments-dashboard'
const SECRET_BYTES = 32

/** A person who can sign in to the staff's surface without a password. */
export interface StaffPerson {
  readonly login: string
  readonly name: string
  /** Null for a person without a role here. */
  readonly role: string | null
}

export interface OpenStaff {
  readonly client: StaffClient
  readonly people: readonly StaffPerson[]
}

/** Imported only where staff sign in, because the library takes long to load. */
const load = () => import('@merchant-payments/identity-provider')

/** Loads what `openStaff` needs, beside other work. */
export const loadStaff = async ({ staff = false }: StackOptions): Promise<void> =>
  void (staff && (await load()))

export async function openStaff(
  { staff = false }: StackOptions,
  ports: Pick<Ports, 'api' | 'identityProvider'>,
  closers: Closers,
): Promise<OpenStaff | null> {
  if (!staff) return null
  const { people, rolesByClaim, startIdentityProvider } = await load()
  const clientSecret = randomBytes(SECRET_BYTES).toString('base64url')
  const provider = await startIdentityProvider({
    port: ports.identityProvider,
    clientId: CLIENT_ID,
    clientSecret,
    origin: `http://127.0.0.1:${ports.api}`,
  })
  closers.add(provider.stop)
  const roles: Readonly<Record<string, string>> = rolesByClaim
  const roleOf = (claims: readonly string[]) => claims.map((claim) => roles[claim]).find(Boolean) ?? null
  return {
    client: { issuer: provider.issuer, clientId: CLIENT_ID, clientSecret, roles },
    people: people.map((person) => ({
      login: person.login,
      name: person.name,
      role: roleOf(person.roles),
    })),
  }
}
