import {
  MutationCache,
  QueryCache,
  QueryClient,
  type QueryKey,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query'
import type { StaffMember } from '@merchant-payments/contract'
import { forgetChanges } from './unanswered-changes.ts'
import { type ReadParams, read } from './wire/client.ts'
import { ApiError, isTransient } from './wire/api-error.ts'
import type { Answer, ReadName } from './wire/operations.ts'

const RETRIES_MAX = 2
export const ME = ['me'] as const
/** The changes that were sent and not answered, by the subject of their member. Screens show them to that member alone. */
export const UNANSWERED = ['unanswered'] as const

/** Any 401 clears all data that a screen shows, so none outlives its session. */
export function createQueries(): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({ onError: (error) => forgetIfSignedOut(client, error) }),
    mutationCache: new MutationCache({ onError: (error) => heedPost(client, error) }),
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < RETRIES_MAX && isTransient(error),
        // navigator.onLine is often wrong, so the request is sent anyway.
        networkMode: 'always',
        staleTime: 2_000,
      },
      mutations: { networkMode: 'always' },
    },
  })
  client.setQueryDefaults(UNANSWERED, { gcTime: Number.POSITIVE_INFINITY })
  return client
}

function forgetIfSignedOut(client: QueryClient, error: unknown): void {
  if (error instanceof ApiError && error.kind === 'signed_out') forget(client)
}

/** Updates the session's data after a refused POST. */
export function heedPost(client: QueryClient, error: unknown): void {
  forgetIfSignedOut(client, error)
  // Another tab may have signed in anew with another CSRF token, or the role may have changed.
  if (error instanceof ApiError && error.kind === 'forbidden') void client.invalidateQueries({ queryKey: ME })
}

export function forget(client: QueryClient): void {
  client.setQueryData(ME, null)
  removeData(client)
}

/** Removes all data that a screen shows. */
export function removeData(client: QueryClient): void {
  const kept: readonly unknown[] = [...ME, ...UNANSWERED]
  client.removeQueries({ predicate: ({ queryKey: [name] }) => !kept.includes(name) })
}

/**
 * Removes the data and the kept changes of every member except this one. Null removes all. The API knows a key only from
 * the member who sent it, so another member would make the change again.
 */
export function removeOthersData(client: QueryClient, subject: string | null): void {
  const before = client.getQueryData<StaffMember | null>(ME)
  if (before && before.subject !== subject) removeData(client)
  const isOthers = ({ queryKey: [name, member] }: { queryKey: readonly unknown[] }) =>
    name === UNANSWERED[0] && member !== subject
  client.removeQueries({ predicate: isOthers })
  forgetChanges(subject)
}

interface ReadOptions {
  /** The refresh interval while somebody uses the page. */
  readonly everyMs?: number
  /** Shows the last page of the list until the next one has loaded. */
  readonly isPaged?: boolean
  readonly isWanted?: boolean
}

export const useRead = <Name extends ReadName>(
  name: Name,
  params: ReadParams = {},
  { everyMs, isPaged = false, isWanted = true }: ReadOptions = {},
): UseQueryResult<Answer<Name>> =>
  useQuery<Answer<Name>>({
    queryKey: keyOf(name, params),
    queryFn: ({ signal }) => read(name, params, signal),
    refetchInterval: everyMs ?? false,
    enabled: isWanted,
    ...(isPaged && {
      placeholderData: (last, before) =>
        before && isSameList(before.queryKey, keyOf(name, params)) ? last : undefined,
    }),
  })

const keyOf = (name: ReadName, { id, query }: ReadParams) => [name, id ?? null, query ?? null] as const

const cursors: ReadonlySet<string> = new Set(['starting_after', 'ending_before', 'after'])

/** Whether two reads differ in their page alone. Rows and sums of another filter would stand under the new one. */
const isSameList = (one: QueryKey, other: QueryKey): boolean => listOf(one) === listOf(other)

function listOf([name, id, query]: QueryKey): string {
  const filters = Object.entries(query ?? {}).filter(
    ([param, value]) => !cursors.has(param) && value !== undefined,
  )
  return JSON.stringify([name, id, filters])
}
