import type { LookupResult } from '@merchant-payments/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useMember } from '../member.tsx'
import { heedPost } from '../queries.ts'
import { lookUp } from '../wire/client.ts'

/** Looks a text up. A refusal of the session counts as it does for a change. */
export function useLookUp(): (text: string, signal: AbortSignal) => Promise<LookupResult> {
  const { csrf_token: csrfToken } = useMember()
  const client = useQueryClient()
  return async (text, signal) => {
    try {
      return await lookUp(text, csrfToken, signal)
    } catch (error) {
      heedPost(client, error)
      throw error
    }
  }
}
