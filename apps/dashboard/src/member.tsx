import type { StaffMember, StaffRole } from '@merchant-payments/contract'
import { useQuery } from '@tanstack/react-query'
import { createContext, use } from 'react'
import { ME } from './queries.ts'
import { read } from './wire/client.ts'
import { Fault } from './wire/fault.ts'

/** Who is signed in; null for nobody. */
export const useSignedIn = () =>
  useQuery<StaffMember | null>({
    queryKey: ME,
    queryFn: ({ signal }) =>
      read('me', {}, signal).catch((error: unknown) => {
        if (error instanceof Fault && error.kind === 'signed_out') return null
        throw error
      }),
    staleTime: Number.POSITIVE_INFINITY,
  })

const MemberContext = createContext<StaffMember | null>(null)
export const MemberProvider = MemberContext.Provider

/** Of a screen, which is shown to nobody else. */
export function useMember(): StaffMember {
  const member = use(MemberContext)
  if (member === null) throw new Error('a screen is shown to who is signed in')
  return member
}

const ranks: Readonly<Record<StaffRole, number>> = { viewer: 0, operator: 1, admin: 2 }

/** What a role may not do is not offered; the API refuses it all the same. */
export const reaches = (role: StaffRole, needed: StaffRole): boolean => ranks[role] >= ranks[needed]
