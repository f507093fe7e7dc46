import type { StaffMember, StaffRole } from '@merchant-payments/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, use, useEffect } from 'react'
import { removeOthersData, ME, removeData } from './queries.ts'
import { read } from './wire/client.ts'
import { ApiError } from './wire/api-error.ts'

/** The staff member who is signed in, or null. Asked again whenever somebody comes back to the tab. */
export function useSignedIn() {
  useReturns()
  return useQuery<StaffMember | null>({
    queryKey: ME,
    queryFn: async ({ signal, client }) => {
      try {
        const member = await read('me', {}, signal)
        removeOthersData(client, member.subject)
        return member
      } catch (error) {
        const isSignedOut = error instanceof ApiError && error.kind === 'signed_out'
        if (isSignedOut || isRoleless(error)) removeData(client)
        if (isSignedOut) return null
        throw error
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Whether an account is signed in that has no role, or no longer one. Another account may have one. */
export const isRoleless = (error: unknown): boolean => error instanceof ApiError && error.kind === 'forbidden'

/** Another member may have signed in in another tab meanwhile. */
function useReturns(): void {
  const client = useQueryClient()
  useEffect(() => {
    // Both events come with one return, so the second one does not start another request.
    const ask = () => {
      if (document.visibilityState === 'visible')
        void client.refetchQueries({ queryKey: ME }, { cancelRefetch: false })
    }
    const signs = ['focus', 'visibilitychange'] as const
    for (const sign of signs) addEventListener(sign, ask)
    return () => {
      for (const sign of signs) removeEventListener(sign, ask)
    }
  }, [client])
}

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
