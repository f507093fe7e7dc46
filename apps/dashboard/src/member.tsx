import type { StaffMember, StaffRole } from '@merchant-payments/contract'
import { useQuery } from '@tanstack/react-query'
import { createContext, use } from 'react'
import { ME } from './queries.ts'
import { forgetUnanswered } from './unanswered-changes.ts'
import { read } from './wire/client.ts'
import { Fault } from './wire/fault.ts'

/** The staff member who is signed in, or null. */
export const useSignedIn = () =>
  useQuery<StaffMember | null>({
    queryKey: ME,
    queryFn: async ({ signal }) => {
      try {
        const member = await read('me', {}, signal)
        forgetUnanswered(member.subject)
        return member
      } catch (error) {
        if (error instanceof Fault && error.kind === 'signed_out') return null
        throw error
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

const MemberContext = createContext<StaffMember | null>(null)
export const MemberProvider = MemberContext.Provider

/** The staff member who is signed in. Screens are rendered only for one. */
export function useMember(): StaffMember {
  const member = use(MemberContext)
  if (member === null) throw new Error('useMember needs a signed-in staff member')
  return member
}

const ranks: Readonly<Record<StaffRole, number>> = { viewer: 0, operator: 1, admin: 2 }

/** Whether a role may do something. The page hides what it may not do; the API refuses it anyway. */
export const reaches = (role: StaffRole, needed: StaffRole): boolean => ranks[role] >= ranks[needed]
